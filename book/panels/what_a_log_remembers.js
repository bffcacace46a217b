/** Capacity and dispersion of one or all, in closed form: a round is some small jobs and the large one behind them. */
function constants(n, share, r) {
  const large = share / 100, small = 1 - large, again = small + r * large, ends = (1 - r) * large;
  const moments = { length: 1, within: 1 }, surplus = [], chances = [large + r * small];
  let reached = (1 - r) * small, mean = 1;
  const means = [mean];
  for (let i = 1; i <= n; i += 1) {
    moments.length += reached / i;
    moments.within += reached / i ** 2;
    chances.push(i < n ? reached * ends : reached);
    mean += 1 / i;
    means.push(mean);
    if (i < n) reached *= again;
  }
  const beyond = (reached * again) / ends, jobs = 1 / large;
  moments.length += beyond / n;
  moments.within += beyond / n ** 2;
  const X = jobs / moments.length, step = 1 - X / n;
  let between = 0;
  for (let i = 0; i < n; i += 1) between += chances[i] * (i + 1 - X * means[i]) ** 2;
  const last = n + 1 - X * means[n];
  between += reached * (last ** 2 + (2 * last * step * again) / ends + (step ** 2 * again * (1 + again)) / ends ** 2);
  return { X, dispersion: (X ** 2 * moments.within + between) / jobs };
}

/** The formula near saturation. */
function time({ X, dispersion }, lam) {
  return (1 + dispersion) / 2 / (X - lam);
}

function values({ r, load, n, share }) {
  const none = constants(n, share, 0), found = constants(n, share, r / 100), lam = (load / 100) * none.X;
  return {
    X: found.X, without: none.X, dispersion: found.dispersion, time: time(found, lam), time_without: time(none, lam),
  };
}

function draw({ r, load, n, share }, found) {
  const { shown } = tools, lam = (load / 100) * found.without;
  const steps = tools.spaced(0, 98, 99).map((x) => [x, constants(n, share, x / 100)]);
  const points = (of) => steps.map(([x, one]) => [x, of(one)]), x = { label: "memory [%]", min: 0, max: 100 };
  const capacities = points((one) => one.X), dispersions = points((one) => one.dispersion), times = points((one) => time(one, lam));
  const heights = [...dispersions, ...times].map((point) => point[1]);
  const factor = found.time / found.time_without, more = found.X / found.without;
  return {
    summary: `The cluster can do ${shown(more)} times as much as without memory. The dispersion is ` +
      `${shown(found.dispersion)}. By the formula jobs stay ${shown(factor)} times as long as without memory, for ` +
      `${shown(found.time)} units of time.`,
    charts: [{
      title: "Capacity against the memory",
      height: 200,
      x,
      y: { label: "capacity", min: 0, max: capacities[98][1] * 1.1 },
      lines: [{ name: "capacity [jobs per unit of time]", kind: 0, points: capacities }],
      points: [{ x: r, y: found.X, kind: 0 }],
    }, {
      title: "Dispersion and time in the system against the memory",
      height: 260,
      x,
      y: { label: "dispersion, time", min: Math.min(...heights) / 1.3, max: Math.max(...heights) * 1.3, log: true },
      lines: [
        { name: "dispersion I", kind: 1, points: dispersions, dashed: true },
        { name: "time in the system, by the formula", kind: 2, points: times },
      ],
      points: [{ x: r, y: found.dispersion, kind: 1 }, { x: r, y: found.time, kind: 2 }],
    }],
  };
}
