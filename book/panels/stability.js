/** What does not depend on the mix: states by their class-1 jobs, and the steps between the logarithms of weights. */
function states(n, need, ratio) {
  const [step, others, idle, rate] = Array.from({ length: 4 }, () => new Float64Array(n + 1));
  let before = 0, wasBlocked = 0;
  for (let i = 0; i <= n; i++) {
    const j = Math.floor((n - i) / need);
    idle[i] = n - i - j * need;
    rate[i] = i + j * ratio;
    const blocked = idle[i] >= 1 ? 1 : 0, fewer = i && before > j ? 1 : 0;
    if (i) {
      const taken = fewer ? 1 + (n - before * need) / ratio / Math.max(before, 1) : 1;
      step[i] = Math.log((1 + (j * ratio) / i) / taken);
      others[i] = blocked - wasBlocked - fewer;
    }
    before = j;
    wasBlocked = blocked;
  }
  return { step, others, idle, rate };
}

/** Percentage of servers that are wasted, and completions per unit of time. */
function saturated(n, { step, others, idle, rate }, share) {
  const log1 = Math.log1p(-share / 100), log2 = Math.log(share / 100), weights = new Float64Array(n + 1);
  let peak = 0;
  for (let i = 1; i <= n; i++) {
    weights[i] = weights[i - 1] + log1 + step[i] + others[i] * log2;
    if (weights[i] > peak) peak = weights[i];
  }
  let time = 0, wasted = 0, jobs = 0;
  for (let i = 0; i <= n; i++) {
    if (weights[i] < peak - 60) continue; // a part of 1e-26
    const weight = Math.exp(weights[i] - peak), stay = weight / rate[i];
    jobs += weight;
    time += stay;
    wasted += stay * idle[i];
  }
  return { wasted: (100 * wasted) / time / n, throughput: jobs / time };
}

function values({ n, part, share, ratio }) {
  const need = Math.max(1, Math.floor((n * part) / 100 + 0.5));
  const naive = n / (1 - share / 100 + ((share / 100) * need) / ratio);
  return { need, ...saturated(n, states(n, need, ratio), share), naive };
}

function draw(at, { need, wasted, throughput, naive }) {
  const { n, ratio, share } = at, { shown, spaced } = tools;
  const count = Math.round(Math.min(80, Math.max(16, 1.6e5 / n)));
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
