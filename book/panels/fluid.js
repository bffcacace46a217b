const STEPS = 600; // of the trajectory

/** Mean number of requests at k servers: Erlang's formula for the wait. */
function exact(k, lam) {
  let lost = 1;
  for (let servers = 1; servers <= k; servers++) lost = (lam * lost) / (servers + lam * lost);
  const wait = lost / (1 - (lam / k) * (1 - lost));
  return lam + (wait * lam) / (k - lam);
}

function settled(k, lam, p) {
  return lam * (1 - (lam / k) ** p) ** (-1 / p);
}

/** The smoothed fluid at all steps. */
function trajectory(k, lam, p, x) {
  const slope = (y) => lam - y * (1 + (y / k) ** p) ** (-1 / p), h = data.horizon / STEPS, found = [[0, x]];
  for (let n = 1; n <= STEPS; n++) {
    const a = slope(x), b = slope(x + (h / 2) * a), c = slope(x + (h / 2) * b), d = slope(x + h * c);
    x += (h / 6) * (a + 2 * b + 2 * c + d);
    found.push([n * h, x]);
  }
  return found;
}

/** The fluid with a hard minimum: it falls at a constant rate while all servers are busy, then settles. */
function hard(k, lam, start, t) {
  const busy = Math.max(0, (start - k) / (k - lam));
  return t < busy ? start - (k - lam) * t : lam + (Math.min(start, k) - lam) * Math.exp(busy - t);
}

/** What a button does: the exponent with which the settled fluid has the exact mean at this load. */
const acts = {
  "Fit p at this load": (at) => {
    const lam = (at.k * at.load) / 100, aim = exact(at.k, lam);
    let [low, high] = [-2, 3];
    for (let n = 0; n < 60; n++) {
      const middle = (low + high) / 2;
      if (settled(at.k, lam, 10 ** middle) > aim) low = middle;
      else high = middle;
    }
    return { ...at, p: 10 ** low };
  },
};

function values({ k, load, p, start }) {
  const lam = (k * load) / 100, path = trajectory(k, lam, p, start * k);
  return {
    exact: exact(k, lam), settled: settled(k, lam, p), third: path[STEPS / 3][1], smooth: path[STEPS][1],
    hard: hard(k, lam, start * k, data.horizon / 3),
  };
}

function draw({ k, load, p, start }, found) {
  const lam = (k * load) / 100, { shown, spaced } = tools, loads = [...spaced(2, 98, 97), load].sort((a, b) => a - b), times = spaced(0, data.horizon, 121);
  const ratio = found.settled / found.exact, error = 100 * (ratio - 1);
  const off = Math.abs(error) < 0.05 ? "as it was fitted" : ratio > 3 ? `${shown(ratio, 2)} times as many` : `${shown(error, 2)} % off`;
  return {
    summary: `At ${shown(load)} % load there are ${shown(found.exact)} requests on average. The smoothed fluid says ` +
      `${shown(found.settled)} (${off}), the plain one ${shown(lam)}.`,
    charts: [
      {
        title: "Mean number of requests against the load", height: 230,
        x: { label: "load [%]", min: 0, max: 100 }, y: { label: "mean requests", min: 0, max: Math.max(3 * k, found.exact * 1.2) },
        lines: [
          { name: "exact", kind: 4, points: loads.map((x) => [x, exact(k, (k * x) / 100)]) },
          { name: "fluid, smoothed", kind: 0, points: loads.map((x) => [x, settled(k, (k * x) / 100, p)]) },
          { name: "fluid, hard minimum", kind: 1, dashed: true, points: loads.map((x) => [x, (k * x) / 100]) },
        ],
        points: [{ x: load, y: found.settled, kind: 0 }],
      },
      {
        title: "Requests over time", height: 230,
        x: { label: "time [mean service times]", min: 0, max: data.horizon }, y: { label: "mean requests", min: 0 },
        lines: [
          { name: "exact, in the steady state", kind: 4, points: [[0, found.exact], [data.horizon, found.exact]] },
          { name: "fluid, smoothed", kind: 0, points: trajectory(k, lam, p, start * k) },
          { name: "fluid, hard minimum", kind: 1, dashed: true, points: times.map((t) => [t, hard(k, lam, start * k, t)]) },
        ],
      },
    ],
  };
}
