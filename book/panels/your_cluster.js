function values(at) {
  return rates(at.large / 100, at.length);
}

function draw(at, found) {
  const { shown } = tools;
  const along = (part) => [...tools.spaced(1, 99, 99), at.large].sort((a, b) => a - b).map((large) => [large, values({ ...at, large })[part]]);
  return {
    summary: `In rows ${shown(found.rows, 4)} jobs per hour, one by one ${shown(found.shuffled, 4)}; ` +
      `with no idle server it would be ${shown(found.naive, 4)}.`,
    charts: [{
      title: "Capacity against the share of jobs that need both servers",
      x: { label: "jobs that need both servers [%]", min: 0, max: 100 },
      y: { label: "jobs per hour", min: 0.9 },
      lines: [
        { name: "no server idle", kind: 4, dashed: true, points: along("naive") },
        { name: "in rows", kind: 0, points: along("rows") },
        { name: "one by one", kind: 1, points: along("shuffled") },
      ],
      points: [{ x: at.large, y: found.rows, kind: 0 }],
    }],
  };
}
