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
