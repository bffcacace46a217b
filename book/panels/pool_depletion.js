/** Edges of the mixes that saturate both stations, and the one that keeps them equally busy. */
function mixes(D1A, D2B) {
  const { D1B, D2A } = data, X = (D2B - D1B) / (D1A * D2B - D2A * D1B);
  return { low: D2A * X, high: D1A * X, star: Math.log(D2B / D1B) / Math.log((D1A * D2B) / (D1B * D2A)) };
}

/** Time a task until all is done: both classes in this mix, then what is left of one. */
function depletionTime(alpha, beta, D1A, D2B) {
  const { D1B, D2A } = data, { low, high } = mixes(D1A, D2B);
  const edge = Math.min(Math.max(beta, low), high);
  const [ofA, ofB] = beta < low ? [D2A, D2B] : [D1A, D1B];
  const inside = beta === edge, A = (inside ? high : beta) / ofA, B = (inside ? 1 - high : 1 - beta) / ofB;
  const first = Math.min(A ? alpha / A : Infinity, B ? (1 - alpha) / B : Infinity);
  return first + Math.max(alpha - first * A, 0) * D1A + Math.max(1 - alpha - first * B, 0) * D2B;
}

function values({ alpha, beta, D1A, D2B }) {
  const { low, high, star } = mixes(D1A, D2B);
  const time = (mix) => depletionTime(alpha / 100, mix, D1A, D2B);
  return { low: 100 * low, high: 100 * high, star: 100 * star, used: time(beta / 100), best: time(star) };
}

function draw({ alpha, beta, D1A, D2B }, { low, high, star, used, best }) {
  const { shown, spaced } = tools, all = [...spaced(0, 100, 201), low, high, beta, star].sort((a, b) => a - b);
  const longer = 100 * (used / best - 1), compared = longer < 0.05 ? "just as long" : `${shown(longer)} % longer`;
  return {
    summary: `With ${shown(beta)} % of class A admitted a large pool takes ${shown(used)} units of time per task. ` +
      `In the mix β* of ${shown(star)} % it takes ${shown(best)}; this mix takes ${compared}.`,
    charts: [{
      title: "Depletion time against the admitted mix",
      x: { label: "class A among those admitted [%]", min: 0, max: 100 }, y: { label: "time per task", min: 0 },
      lines: [
        { name: "time until all is done, per task", kind: 0, points: all.map((x) => [x, depletionTime(alpha / 100, x / 100, D1A, D2B)]) },
      ],
      boxes: [{ name: `both stations saturated: ${shown(low)} to ${shown(high)} %`, kind: 4, x: [low, high], y: [0, 10] }],
      rules: [{ name: "the mix β*", x: star, kind: 1 }],
      points: [{ x: beta, y: used, kind: 0 }, { x: star, y: best, kind: 1 }],
    }],
  };
}
