function values(at) {
  return example(at.share / 100, at.t1, at.t2);
}

function draw(at, found) {
  const along = (part) => tools.spaced(1, 99, 99).map((share) => [share, values({ ...at, share })[part]]);
  const { capacity, idle } = found, { shown } = tools;
  return {
    summary: `Capacity ${shown(capacity, 4)} jobs per unit of time; ` +
      `on average ${shown(idle)} of the six units are idle, although jobs always wait.`,
    charts: [{
      title: "Capacity against the share of jobs that need three units",
      x: { label: "jobs that need three units [%]", min: 0, max: 100 },
      y: { label: "jobs per unit of time", min: 0 },
      lines: [
        { name: "no unit idle", kind: 4, dashed: true, points: along("no_idle") },
        { name: "in order of arrival", kind: 0, points: along("capacity") },
      ],
      points: [{ x: at.share, y: capacity, kind: 0 }],
    }],
  };
}
