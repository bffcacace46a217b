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

/** What each of these places weighs at x in the polynomial through all of them. */
function weights(places, x) {
  const others = (k) => places.filter((_, j) => j !== k);
  return places.map((place, k) => others(k).reduce((weight, other) => (weight * (x - other)) / (place - other), 1));
}

/** The exact mean time in the system at an arrival rate, as a function of the memory. */
function timeOf(lam, n, share) {
  const most = data.most * constants(n, share, 0).X, [low, high] = data.shares;
  const servers = weights(data.servers.map(Math.log), Math.log(n)), place = [(Math.log10(share) - low) / (high - low)];
  const here = (of_n) => of_n.reduce((sum, of_share, k) => sum + servers[k] * tools.interpolated(of_share, place), 0);
  const [table, part] = lam < 1
    ? [data.below, (lam - data.least) / (1 - data.least)]
    : [data.above, Math.log(lam) / Math.log(most)];
  const rest = table.map((of_rows) => of_rows.map(here));
  return (r) => Math.exp(tools.interpolated(rest, [part, -Math.log1p(-r) / data.longest])) / (1 - lam / constants(n, share, r).X);
}

function values({ r, load, n, share }) {
  const found = constants(n, share, r / 100), without = constants(n, share, 0).X, time = timeOf((load / 100) * without, n, share);
  return { X: found.X, without, dispersion: found.dispersion, time: time(r / 100), time_without: time(0) };
}

function draw({ r, load, n, share }, found) {
  const { shown, times } = tools, time = timeOf((load / 100) * found.without, n, share);
  const steps = tools.spaced(0, 98, 99), x = { label: "memory [%]", min: 0, max: 100 };
  const all = steps.map((x) => [x, constants(n, share, x / 100)]);
  const capacities = all.map(([x, one]) => [x, one.X]), dispersions = all.map(([x, one]) => [x, one.dispersion]);
  const stays = steps.map((x) => [x, time(x / 100)]), heights = [...dispersions, ...stays].map((point) => point[1]);
  return {
    summary: `The cluster can do ${times(found.X / found.without, "much")} as without memory. The dispersion is ` +
      `${shown(found.dispersion)}. Jobs stay ${times(found.time / found.time_without, "long", 2)} as without memory ` +
      `(mean time in the system: ${shown(found.time, 2)}).`,
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
        { name: "mean time in the system", kind: 2, points: stays },
      ],
      points: [{ x: r, y: found.dispersion, kind: 1 }, { x: r, y: found.time, kind: 2 }],
    }],
  };
}
