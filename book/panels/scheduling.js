/** What one policy did with a workload: jobs with their starts. */
function schedule(trace, policy) {
  const { jobs, starts } = data.traces[trace];
  return jobs.map(([submit, need, run], k) => {
    const start = starts[policy][k];
    return { submit, need, start, finish: start + run, number: k + 1 };
  });
}

function until({ trace, first, second }) {
  return Math.max(...[first, second].flatMap((policy) => schedule(trace, policy).map((job) => job.finish)));
}

/** What choosing a workload does: it brings the policies that it tells apart. */
function follow(name, at) {
  const [first, second] = data.pairs[at.trace];
  return name === "trace" ? { ...at, first, second } : null;
}

function values(at) {
  const found = { now: Math.floor((at.part / 100) * until(at) + 0.5) };
  for (const name of ["first", "second"]) {
    const jobs = schedule(at.trace, at[name]);
    found[`${name}_wait`] = jobs.reduce((sum, job) => sum + job.start - job.submit, 0) / jobs.length;
    const running = jobs.filter((job) => job.start <= found.now && found.now < job.finish);
    found[`${name}_busy`] = running.reduce((sum, job) => sum + job.need, 0);
    found[`${name}_line`] = jobs.filter((job) => job.submit <= found.now && job.start > found.now).length;
  }
  return found;
}

function draw(at, found) {
  const { servers } = data.traces[at.trace], { shown } = tools;
  const chart = (name) => {
    const jobs = schedule(at.trace, at[name]);
    const pieces = tools.seated(jobs.map((job) => [job.need, job.start, job.finish]), servers);
    return {
      title: `Servers over time under ${data.policies[at[name]]}`, height: 190,
      x: { label: `time, ${data.policies[at[name]]}`, min: 0, max: until(at) }, y: { label: "servers", min: 0, max: servers },
      boxes: jobs.flatMap((job, k) => pieces[k].flatMap((y) => [
        { x: [job.start, Math.min(job.finish, found.now)], y, kind: k % 4, text: String(job.number) },
        { x: [Math.max(job.start, found.now), job.finish], y, kind: 4, text: job.start >= found.now ? String(job.number) : "" },
      ].filter((box) => box.x[0] < box.x[1]))),
      rules: [{ x: found.now, kind: 4 }],
    };
  };
  const line = (name) => `${data.policies[at[name]]}: ${found[`${name}_busy`]} of ${servers} servers busy, ` +
    `${found[`${name}_line`]} in the queue; mean wait of all jobs ${shown(found[`${name}_wait`])}.`;
  return {
    summary: `Time ${found.now}. Above, ${line("first")} Below, ${line("second")}`,
    charts: [chart("first"), chart("second")],
  };
}
