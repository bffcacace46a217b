const SERVERS = 100;

function values({ share, need, time }) {
  const { throughput } = saturated(SERVERS, states(SERVERS, need, 1 / time), share);
  const no_idle = SERVERS / (1 - share / 100 + (share / 100) * need * time);
  return { capacity: throughput, no_idle, idle: SERVERS * (1 - throughput / no_idle) };
}

function draw(at, { capacity, no_idle, idle }) {
  const { shown, spaced } = tools;
  const shares = [...spaced(0.01, 31, 81, true), at.share].sort((a, b) => a - b);
  const along = (part) => shares.map((share) => [share, values({ ...at, share })[part]]);
  return {
    summary: `In order of arrival the cluster completes ${shown(capacity)} jobs per unit of time. It would be ` +
      `${shown(no_idle)} if no server were ever idle. On average ${shown(idle, 2)} of the 100 servers are idle while jobs wait.`,
    charts: [{
      title: "Capacity against the share of large jobs",
      x: { label: "large jobs [% of the jobs]", min: 0.01, max: 31.7, log: true },
      y: { label: "jobs per unit of time", min: 0, max: 105 },
      lines: [
        { name: "no server idle", kind: 4, dashed: true, points: along("no_idle") },
        { name: "in order of arrival", kind: 0, points: along("capacity") },
      ],
      points: [{ x: at.share, y: capacity, kind: 0 }],
    }],
  };
}
