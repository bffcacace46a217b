/** The jobs of the trace, with their starts under a rule. */
function schedule(rule) {
  return data.jobs.map(([submit, need, run], k) => {
    const start = data.starts[rule][k];
    return { submit, need, start, finish: start + run, wait: start - submit };
  });
}

function values({ rule }) {
  const jobs = schedule(rule), inOrder = schedule(0);
  const counted = (sign) => jobs.filter((job, k) => sign * (job.start - inOrder[k].start) > 0).length;
  return {
    wait: jobs.reduce((sum, job) => sum + job.wait, 0) / jobs.length,
    end: Math.max(...jobs.map((job) => job.finish)),
    earlier: counted(-1), later: counted(1),
  };
}

function draw({ rule }, found) {
  const { shown } = tools, [name, words] = data.rules[rule], jobs = schedule(rule), inOrder = schedule(0);
  const pieces = tools.seated(jobs.map((job) => [job.need, job.start, job.finish]), data.servers);
  const numbers = (sign) => jobs.flatMap((job, k) => (sign * (job.start - inOrder[k].start) > 0 ? [k + 1] : [])).join(", ");
  const moved = rule ? ` Beside fcfs, earlier: ${numbers(-1) || "none"}; later: ${numbers(1) || "none"}.` : "";
  const wait = (job, k, width, kind, name) => ({ x: [k + 1 - width, k + 1 + width], y: [0, job.wait], kind, name });
  return {
    summary: `${name}: ${words}. Mean wait ${shown(found.wait)}, last end ${shown(found.end)}.${moved}`,
    charts: [
      {
        title: `Servers over time under ${name}`, height: 200,
        x: { label: `time, ${name}`, min: 0, max: data.end }, y: { label: "servers", min: 0, max: data.servers, whole: true },
        boxes: jobs.flatMap((job, k) =>
          pieces[k].map((y) => ({ x: [job.start, job.finish], y, kind: k % 4, text: String(k + 1) }))),
      },
      {
        title: "Who waits how long", height: 160,
        x: { label: "job", min: 0.4, max: jobs.length + 0.6, whole: true },
        y: { label: "wait", min: 0, max: data.end },
        boxes: [
          ...inOrder.map((job, k) => wait(job, k, 0.42, 4, "fcfs")),
          ...(rule ? jobs.map((job, k) => wait(job, k, 0.2, 3, name)) : []),
        ],
      },
    ],
  };
}
