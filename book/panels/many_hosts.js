/** For 1, 2, … hosts: the share of the jobs that must end before one is empty, and the time until then. */
function columns(places, most) {
  const beta = Array.from({ length: places }, (_, k) => places / (k + 1)); // B(k/n, m), at first for m = 1
  const ended = [], time = [];
  for (let m = 1; m <= most; m++) {
    ended.push(beta[0] / places);
    time.push(beta.reduce((sum, x) => sum + x, 0) / places);
    for (let k = 0; k < places; k++) beta[k] *= m / (m + (k + 1) / places);
  }
  return { ended, time };
}

function values({ hosts, places, share }) {
  const { ended, time } = columns(places, hosts), part = share / 100, loss = time[hosts - 1] - ended[hosts - 1];
  const each = (1 - part) / (hosts * places) + part * (1 / hosts + loss);
  return {
    ended: 100 * ended[hosts - 1], pool: 100 / hosts, time: time[hosts - 1], lost: loss * hosts * places,
    busy: (100 * (1 - part + part * places)) / (hosts * places * each),
  };
}

function draw({ hosts, places, share }, { ended, pool, time, lost, busy }) {
  const { shown, spaced } = tools, most = 1000, all = columns(places, most);
  const at = [...new Set([...spaced(1, most, 60, true).map(Math.round), hosts])].sort((a, b) => a - b);
  const rare = (share / 100) * hosts * places <= 0.1;
  return {
    summary: `On average ${shown(ended)} % of the running jobs must end before a host is empty, and in one pool ${shown(pool)} %. ` +
      `This takes ${shown(time)} mean run times, and costs as much work as ${shown(lost)} small jobs. ` +
      (rare ? `While few jobs need a whole host, ${shown(busy, 4)} % of the places are busy.` : "Here jobs that need a whole host are too frequent to wait one by one."),
    charts: [
      {
        title: "What must end before a host is empty", height: 200,
        x: { label: "hosts", min: 1, max: most, log: true }, y: { label: "jobs that must end [%]", min: 0, max: 100 },
        lines: [
          { name: "on hosts", kind: 0, points: at.map((m) => [m, 100 * all.ended[m - 1]]) },
          { name: "in one pool", kind: 1, dashed: true, points: at.map((m) => [m, 100 / m]) },
        ],
        points: [{ x: hosts, y: ended, kind: 0 }],
      },
      {
        title: "Work that one such job costs", height: 200,
        x: { label: "hosts", min: 1, max: most, log: true }, y: { label: "small jobs", min: 0 },
        lines: [{ name: "on hosts", kind: 0, points: at.map((m) => [m, (all.time[m - 1] - all.ended[m - 1]) * m * places]) }],
        points: [{ x: hosts, y: lost, kind: 0 }],
      },
    ],
  };
}
