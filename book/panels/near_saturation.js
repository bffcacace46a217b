/** Mean times at an arrival rate, exact and promised, given the constants of this share of large jobs. */
function times(lam, share, { X, ahead, filled_X, filled_ahead }) {
  const mean = (table, capacity) => {
    const place = [(lam / capacity - data.low) / (data.high - data.low), Math.log10(share) / data.most];
    return lam < capacity ? tools.interpolated(table, place) / (capacity - lam) : NaN;
  };
  return {
    in_order: mean(data.in_order, X),
    promised: ahead / (X - lam),
    filling: mean(data.filling, filled_X),
    filling_promised: filled_ahead / (filled_X - lam),
  };
}

function values({ load, share }) {
  const found = constants(share / 100), lam = (load / 100) * found.X;
  return { lam, X: found.X, filled_X: found.filled_X, ...times(lam, share, found) };
}

function draw({ load, share }, found) {
  const all = constants(share / 100), { shown } = tools;
  const line = (name, kind, part, capacity, dashed) => ({
    name, kind, dashed,
    points: [...tools.spaced(0.05, 0.99, 95), found.lam / capacity].sort((a, b) => a - b).map((x) => [x * capacity, times(x * capacity, share, all)[part]]),
  });
  return {
    summary: `At ${shown(load)} % load jobs stay for ${shown(found.in_order)} units of time in order of arrival ` +
      `(formula: ${shown(found.promised)}), and for ${shown(found.filling)} under ServerFilling ` +
      `(formula: ${shown(found.filling_promised)}).`,
    charts: [{
      title: "Mean time in the system against the arrival rate",
      height: 320,
      x: { label: "arrival rate [jobs per unit of time]", min: 0, max: all.filled_X * 1.02 },
      y: { label: "mean time in the system", min: 1, max: 200, log: true },
      lines: [
        line("in order, exact", 0, "in_order", all.X), line("formula, in order", 0, "promised", all.X, true),
        line("ServerFilling, exact", 1, "filling", all.filled_X), line("formula, ServerFilling", 1, "filling_promised", all.filled_X, true),
      ],
      rules: [{ name: `capacity in order: ${shown(all.X)}`, x: all.X, kind: 0 }, { name: `of ServerFilling: ${shown(all.filled_X)}`, x: all.filled_X, kind: 1 }],
      points: [{ x: found.lam, y: found.in_order, kind: 0 }, { x: found.lam, y: found.filling, kind: 1 }],
    }],
  };
}
