const kept = {};

/** The jobs as a rule starts them, up to the end of the picture; all are there from the beginning. */
function schedule(share, size, row, rule) {
  const key = [share, size, row, rule].join();
  if (kept.key === key) return kept.jobs;
  const length = [1, 10][row], chance = share / (length - (length - 1) * share), jobs = [];
  for (const draw of data.draws) {
    for (let k = draw < chance ? length : 1; k && jobs.length < data.runs.length; k--) {
      const large = draw < chance, own = data.runs[jobs.length];
      const run = large ? Number(((own * data.servers) / size).toFixed(4)) : own;
      jobs.push({ large, need: large ? size : 1, run, start: Infinity, finish: Infinity });
    }
    if (jobs.length >= data.runs.length) break;
  }
  started(jobs, rule);
  Object.assign(kept, { key, jobs, pieces: null });
  return jobs;
}

/** Give jobs their starts: strictly in order, or with EASY backfilling. */
function started(jobs, rule) {
  let free = data.servers, time = 0, running = [], queue = [...jobs];
  const start = (job) => {
    Object.assign(job, { start: time, finish: time + job.run });
    free -= job.need;
    running.push(job);
  };
  while (time <= data.end && queue.length) {
    let first = 0;
    while (first < queue.length && queue[first].need <= free) start(queue[first++]);
    queue.splice(0, first);
    if (rule && free && queue.length) pass(queue, running, free, time, start, () => free);
    queue = queue.filter((job) => job.start === Infinity);
    if (!running.length) return;
    time = Math.min(...running.map((job) => job.finish));
    running = running.filter((job) => job.finish > time || ((free += job.need), false));
  }
}

/** Start those jobs behind the head of the queue that fit now and do not delay it. */
function pass([head, ...others], running, freeNow, time, start, free) {
  let there = freeNow, shadow = Infinity;
  for (const job of [...running].sort((a, b) => a.finish - b.finish)) {
    if (there >= head.need && job.finish > shadow) break;
    there += job.need;
    if (there >= head.need && shadow === Infinity) shadow = job.finish;
  }
  let extra = there - head.need; // servers that the head leaves free when it can start
  for (const job of others) {
    if (!free()) return;
    if (job.need > free()) continue;
    const inTime = time + job.run <= shadow;
    if (!inTime && job.need > extra) continue;
    if (!inTime) extra -= job.need;
    start(job);
  }
}

function values({ share, size, row, rule, time }) {
  const jobs = schedule(share / 100, size, row, rule), held = { small: 0, large: 0 };
  let busy = 0, done = 0;
  for (const { large, need, start, finish } of jobs) {
    if (start > time) continue;
    held[large ? "large" : "small"] += need * (Math.min(finish, time) - start);
    if (finish > time) busy += need;
    else done += 1;
  }
  const part = (x) => (100 * x) / (data.servers * time);
  return { busy, small: part(held.small), large: part(held.large), idle: 100 - part(held.small + held.large), done };
}

function draw(at, { small, large }) {
  const { share, size, row, rule, time } = at, { shown } = tools, jobs = schedule(share / 100, size, row, rule);
  const whole = values({ ...at, time: data.end }); // so that the sentence stays while time passes
  const seen = jobs.filter((job) => job.start <= data.end);
  kept.pieces ??= tools.seated(seen.map((job) => [job.need, job.start, job.finish]), data.servers);
  const boxes = seen.flatMap((job, k) => (job.start >= time ? [] : kept.pieces[k].map((y) => ({
    x: [job.start, Math.min(job.finish, time)], y, kind: job.large ? 1 : 0, name: job.large ? "large job" : "small job",
  }))));
  const gauge = [[0, small, 0, "small jobs"], [small, small + large, 1, "large jobs"]];
  return {
    summary: `Over the whole time shown, ${shown(Math.max(0, Number(whole.idle.toFixed(3))), 2)} of 100 servers are ` +
      "idle on average, although jobs wait.",
    charts: [
      {
        title: "Servers over time", height: 260, boxes, rules: [{ x: time, kind: 4 }],
        x: { label: "time", min: 0, max: data.end }, y: { label: "servers", min: 0, max: data.servers },
      },
      {
        title: "What the servers did so far", height: 92,
        x: { label: "time of the servers so far [%]; blank: idle", min: 0, max: 100 },
        y: { label: "", min: 0, max: 1, bare: true },
        boxes: gauge.map(([from, to, kind]) => ({ x: [from, to], y: [0.1, 0.9], kind })),
      },
    ],
  };
}
