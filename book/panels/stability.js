/** What does not depend on the mix: states by their class-1 jobs, and the steps between the logarithms of weights. */
function states(n, need, ratio) {
  const found = [];
  for (let i = 0; i <= n; i++) {
    const j = Math.floor((n - i) / need), blocked = n - i - j * need >= 1 ? 1 : 0;
    const before = found[i - 1], fewer = before && before.j > j;
    const step = before && Math.log1p((j * ratio) / i) -
      (fewer ? Math.log1p((n - before.j * need) / ratio / Math.max(before.j, 1)) : 0);
    const others = before && blocked - before.blocked - (fewer ? 1 : 0);
    found.push({ j, blocked, step, others, idle: n - i - j * need, rate: i + j * ratio });
  }
  return found;
}

/** Percentage of servers that are wasted, and completions per unit of time. */
function saturated(n, list, share) {
  const log1 = Math.log1p(-share / 100), log2 = Math.log(share / 100);
  const weights = [0];
  for (let i = 1; i <= n; i++) weights.push(weights[i - 1] + log1 + list[i].step + list[i].others * log2);
  const peak = weights.reduce((a, b) => Math.max(a, b));
  let time = 0, idle = 0, jobs = 0;
  for (let i = 0; i <= n; i++) {
    const weight = Math.exp(weights[i] - peak), stay = weight / list[i].rate;
    jobs += weight;
    time += stay;
    idle += stay * list[i].idle;
  }
  return { wasted: (100 * idle) / time / n, throughput: jobs / time };
}

function values({ n, part, share, ratio }) {
  const need = Math.max(1, Math.floor((n * part) / 100 + 0.5));
  const naive = n / (1 - share / 100 + ((share / 100) * need) / ratio);
  return { need, ...saturated(n, states(n, need, ratio), share), naive };
}

function draw(at, { need, wasted, throughput, naive }) {
  const { n, ratio, share } = at, { shown, spaced } = tools;
  const count = Math.round(Math.min(80, Math.max(16, 2e5 / n)));
  const list = states(n, need, ratio);
  const chart = (title, label, points, x, log) => ({
    title, height: 220,
    x: { label, min: points[0][0], max: points[count - 1][0], log },
    y: { label: "wasted servers [%]", min: 0, max: 100 },
    lines: [{ points, kind: 0 }],
    points: [{ x, y: wasted, kind: 0 }],
  });
  const shares = spaced(0.1, 97, count, true).map((x) => [x, saturated(n, list, x).wasted]);
  const ratios = spaced(1e-3, 1e4, count, true).map((x) => [x, saturated(n, states(n, need, x), share).wasted]);
  return {
    summary: `Large jobs need ${shown(need, 5)} of ${shown(n, 5)} servers: ${shown(wasted)} % of all servers are idle ` +
      `although jobs wait. ${shown(throughput)} jobs per unit of time instead of ${shown(naive)}.`,
    charts: [
      chart("Wasted servers against the share of large jobs", "large jobs [%]", shares, share, true),
      chart("Wasted servers against the ratio of the rates", "rate of large over small jobs", ratios, ratio, true),
    ],
  };
}
