/** Jobs with their needs, starts and ends, and the instants at which something happens. */
function jobsOf(need) {
  const jobs = data.runs.map((run, k) => {
    const start = data.starts[need][k];
    return { need: data.large[k] ? need : 1, start, finish: Number((start + run).toFixed(6)), number: k + 1 };
  });
  const events = [...new Set(jobs.flatMap((job) => [job.start, job.finish]))].sort((a, b) => a - b);
  return { jobs, events };
}

function values({ step, need }) {
  const { jobs, events } = jobsOf(need), time = events[Math.min(step, events.length - 1)];
  const busy = jobs.filter((job) => job.start <= time && time < job.finish).reduce((sum, job) => sum + job.need, 0);
  const line = jobs.filter((job) => job.start > time);
  return { time, busy, idle: data.servers - busy, waiting: line.length, head: line.length ? line[0].need : 0 };
}

function draw({ need }, { time, busy, idle, waiting, head }) {
  const { jobs } = jobsOf(need), { shown } = tools;
  const pieces = tools.seated(jobs.map((job) => [job.need, job.start, job.finish]), data.servers);
  const here = jobs.flatMap((job, k) => (job.start > time ? [] : pieces[k].map((y) => ({
    x: [job.start, job.finish], y, text: String(job.number),
    kind: job.need > 1 ? 1 : 0, name: job.need > 1 ? "large job" : "small job",
  }))));
  const line = jobs.filter((job) => job.start > time).slice(0, 16).map((job, k) => ({
    x: [k + 0.55, k + 1.45], y: [0, job.need], text: String(job.number),
    kind: k ? (job.need > 1 ? 1 : 0) : 3, name: k ? "" : "next job: does not fit yet",
  }));
  const blocked = waiting
    ? `The next of ${waiting} in the queue needs ${head}: ${idle ? `${idle} idle, and nobody may overtake` : "it waits"}.`
    : "The queue is empty.";
  return {
    summary: `Time ${shown(time, 4)}: ${busy} of ${data.servers} servers busy. ${blocked}`,
    charts: [
      {
        title: "Servers over time", height: 240,
        x: { label: "time [mean service times]", min: 0, max: Math.max(6, time * 1.15) },
        y: { label: "servers", min: 0, max: data.servers },
        boxes: here, rules: [{ x: time, kind: 3, name: "now" }],
      },
      {
        title: "The queue", height: 170,
        x: { label: "place in the queue (16 are shown)", min: 0.5, max: 16.5 },
        y: { label: "servers needed", min: 0, max: data.servers },
        boxes: line,
      },
    ],
  };
}
