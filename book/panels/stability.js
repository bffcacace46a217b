function values({ n, part, share, ratio }) {
  const need = Math.max(1, Math.floor((n * part) / 100 + 0.5));
  const naive = n / (1 - share / 100 + ((share / 100) * need) / ratio);
  return { need, ...saturated(n, states(n, need, ratio), share), naive };
}

function draw(at, { need, wasted, throughput, naive }) {
  const { n, ratio, share } = at, { shown, spaced } = tools;
  const count = n > 2000 ? 48 : 80; // and the dot
  const list = states(n, need, ratio);
  const chart = (title, label, points, x, log) => ({
    title, height: 220,
    x: { label, min: points[0][0], max: points.at(-1)[0], log },
    y: { label: "wasted servers [%]", min: 0, max: 100 },
    lines: [{ points, kind: 0 }],
    points: [{ x, y: wasted, kind: 0 }],
  });
  const along = (low, high, at, f) => [...spaced(low, high, count, true), at].sort((a, b) => a - b).map((x) => [x, f(x)]);
  const shares = along(0.1, 97, share, (x) => saturated(n, list, x).wasted);
  const ratios = along(1e-3, 1e4, ratio, (x) => saturated(n, states(n, need, x), share).wasted);
  return {
    summary: `Large jobs need ${shown(need, 5)} of ${shown(n, 5)} servers: ` + (wasted < 0.0005
      ? `no server is idle while jobs wait. ${shown(throughput)} jobs per unit of time.`
      : `${shown(wasted)} % of all servers are idle although jobs wait. ${shown(throughput)} jobs per unit of time instead of ${shown(naive)}.`),
    charts: [
      chart("Wasted servers against the share of large jobs", "large jobs [%]", shares, share, true),
      chart("Wasted servers against the ratio of the rates", "rate of large over small jobs", ratios, ratio, true),
    ],
  };
}
