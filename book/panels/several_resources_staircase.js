/** The states along the edge, [class-1 jobs, class-2 jobs, class of the next job], and how often each is left behind. */
function edgeOf({ share, ratio }) {
  const J = data.staircase, p = [share / 100, 1 - share / 100], states = [];
  const most = (j) => J.reduce((last, beside, i) => (beside >= j ? i : last), 0); // class-1 jobs beside j of class 2
  const weight = (i, j) => {
    let product = 1;
    for (let x = 1; x <= i; x++) product *= (p[0] * (x + J[x] * ratio)) / x;
    for (let y = 1; y <= j; y++) product *= (p[1] * (most(y) + y * ratio)) / (y * ratio);
    return product;
  };
  J.forEach((beside, i) => {
    states.push([i, beside, 2]);
    for (let j = beside; j > (J[i + 1] ?? -1); j--) states.push([i, j, 1]);
  });
  const weights = states.map(([i, j, next]) => weight(i, j) * p[next - 1]);
  const whole = weights.reduce((sum, one) => sum + one, 0);
  return { states, p, left: weights.map((one) => one / whole) };
}

/** Let jobs enter from place (i, j), where one of class `next` is first; report each state that is reached. */
function enter(i, j, next, chance, p, reach) {
  const J = data.staircase, fits = next === 1 ? (J[i + 1] ?? -1) >= j : J[i] > j;
  if (!fits) return reach(i, j, next, chance);
  const [x, y] = next === 1 ? [i + 1, j] : [i, j + 1];
  p.forEach((part, k) => enter(x, y, k + 1, chance * part, p, reach));
}

/** The completions of each class that lead to a state, by the states that they come from. */
function leadingTo(at) {
  const { states, p, left } = edgeOf(at), target = states[at.step - 1];
  const flows = [0, 1].map(() => states.map(() => 0));
  states.forEach(([i, j, next], k) => {
    const speed = i + j * at.ratio;
    [i / speed, (j * at.ratio) / speed].forEach((chance, c) => {
      if (chance > 0) enter(i - (c === 0), j - (c === 1), next, left[k] * chance, p, (x, y, head, flow) => {
        if (x === target[0] && y === target[1] && head === target[2]) flows[c][k] += flow;
      });
    });
  });
  const sums = flows.map((one) => one.reduce((sum, flow) => sum + flow, 0));
  return { states, left, target, flows, sums };
}

function values(at) {
  const { left, sums } = leadingTo(at);
  return { probability: 100 * left[at.step - 1], first: (100 * sums[0]) / (sums[0] + sums[1]) };
}

function draw(at, { probability, first }) {
  const { states, left, target, flows } = leadingTo(at), { shown } = tools;
  const parts = states.slice(0, at.step).map((_, k) => leadingTo({ ...at, step: k + 1 }).sums);
  const place = ([i, j]) => `(${i}, ${j})`, same = (a, b) => a[0] === b[0] && a[1] === b[1];
  const places = states.filter((one, k) => states.findIndex((other) => same(one, other)) === k);
  const from = (c) => places.filter((one) => states.some((other, k) => same(one, other) && flows[c][k] > 0));
  const listed = (all) => [all.slice(0, -1).join(", "), ...all.slice(-1)].filter(Boolean).join(" and ");
  const highest = Math.max(...data.staircase, data.staircase.length - 1);
  const half = (c) => from(c).map(([i, j]) => ({
    x: c ? [i, i + 0.34] : [i - 0.34, i], y: [j - 0.3, j + 0.3], kind: c, text: String(c + 1),
    name: `a class-${c + 1} completion leads here`,
  }));
  const bar = (k, c) => {
    const low = c ? 100 * parts[k][0] : 0;
    return { x: [k + 0.65, k + 1.35], y: [low, low + 100 * parts[k][c]], kind: c, name: `a class-${c + 1} job completed` };
  };
  return {
    summary: `State ${at.step}: ${place(target)}, and a class-${target[2]} job is next. Class-1 completions lead here from `
      + `${listed(from(0).map(place))}. They are ${shown(first)} % of all that lead here: the share of class 1.`,
    charts: [
      {
        title: "Where the machine comes from", height: 230,
        x: { label: "class-1 jobs in service", min: -0.6, max: highest + 0.6, whole: true },
        y: { label: "class-2 jobs in service", min: -0.6, max: highest + 0.6, whole: true },
        boxes: [
          ...places.map((one) => ({
            x: [one[0] - 0.45, one[0] + 0.45], y: [one[1] - 0.45, one[1] + 0.45],
            kind: same(one, target) ? 3 : 2, name: same(one, target) ? "this state" : "other states",
          })),
          ...half(0), ...half(1),
        ],
      },
      {
        title: "How often a completion leaves each state behind", height: 190,
        x: { label: "state", min: 0.4, max: states.length + 0.6, whole: true },
        y: { label: "% of completions", min: 0, max: 105 * Math.max(...left) },
        boxes: parts.flatMap((_, k) => [bar(k, 0), bar(k, 1)]),
        rules: [{ x: at.step, kind: 3 }],
      },
    ],
  };
}
