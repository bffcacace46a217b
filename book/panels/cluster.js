function values({ lam, mu1, places }) {
  const part = (x, [low, high]) => (Math.log10(x) - low) / (high - low);
  const place = [part(lam, data.lam), part(mu1, data.mu1)];
  const found = (table) => Math.exp(tools.interpolated(table[places], place));
  return { lost: 100 * found(data.lost), delay: found(data.delay) };
}

function draw(at, { lost, delay }) {
  const [low, high] = data.lam.map((x) => 10 ** x), { shown } = tools;
  const rates = [...tools.spaced(low, high, 81), at.lam].sort((a, b) => a - b), solved = rates.map((lam) => values({ ...at, lam }));
  const x = { label: "arrival rate [1/s]", min: 0, max: high };
  const all = rates.map((lam) => [lam, 100 * Math.max(0, 1 - data.all_used / lam)]);
  const few = lost < 0.001 ? "less than 0.001" : shown(lost), time = delay < 0.1 ? `${shown(1000 * delay)} ms` : `${shown(delay)} s`;
  return {
    summary: `At ${shown(at.lam)} jobs per second ${few} % are lost, ` +
      `and the others spend ${time} in the queue on average.`,
    charts: [
      {
        title: "Lost jobs against the arrival rate", height: 220, x, y: { label: "lost [%]", min: 0, max: 100 },
        lines: [
          { name: "this cluster", kind: 0, points: rates.map((lam, k) => [lam, solved[k].lost]) },
          { name: "were every server usable all the time", kind: 4, dashed: true, points: all },
        ],
        points: [{ x: at.lam, y: lost, kind: 0 }],
      },
      {
        title: "Time in the queue against the arrival rate", height: 220, x, y: { label: "in the queue [s]", min: 0 },
        lines: [{ kind: 0, points: rates.map((lam, k) => [lam, solved[k].delay]) }],
        points: [{ x: at.lam, y: delay, kind: 0 }],
      },
    ],
  };
}
