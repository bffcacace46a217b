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

/** A source of numbers from 0 to 1, always the same: mulberry32. */
function generator() {
  let a = data.seed;
  return () => {
    a = (a + 0x6d2b79f5) | 0;
    let t = Math.imul(a ^ (a >>> 15), 1 | a);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** The share of the places that is busy while jobs wait, and how it went at the end, in 200 steps of some run times. */
function simulated(hosts, places, part, rule) {
  const uniform = generator(), NONE = -2, WHOLE = -1, all = hosts * places; // what the reserved host holds
  const worst = rule === 1, view = rule > 1 ? data.view : 1, reserve = rule === 3;
  const on = new Array(places + 1).fill(0); // hosts by the number of small jobs on them
  on[0] = hosts;
  let whole = 0, small = 0, kept = NONE, time = 0, area = 0;
  const queue = Array.from({ length: view }, () => uniform() < part);
  const room = () => {
    if (worst) for (let k = 0; k < places; k++) { if (on[k]) return k; }
    else for (let k = places - 1; k >= 0; k--) { if (on[k]) return k; }
    return -1;
  };
  const warm = 10 * all, last = warm + data.counted, from = last - Math.min(data.counted, Math.max(20 * all, 6 / part));
  const every = Math.ceil((last - from) / 200), path = [];
  for (let step = 0; step <= last; step++) {
    if (step > 0) {
      if (step > warm) {
        time += 1 / (small + whole);
        area += (small + whole * places) / (small + whole);
      }
      if (step > from && (last - step) % every === 0) path.push([time, (100 * (small + whole * places)) / all]);
      let x = Math.floor(uniform() * (small + whole));
      if (x < whole) {
        whole--;
        if (kept === WHOLE && x === whole) kept = 0; else on[0]++;
      } else {
        x -= whole;
        small--;
        if (kept > 0 && x < kept) kept--;
        else {
          x -= Math.max(kept, 0);
          let k = 1;
          while (x >= k * on[k]) x -= k++ * on[k - 1];
          on[k]--;
          on[k - 1]++;
        }
      }
    }
    for (let place = 0; ;) { // in the queue: 0 is the head
      if (!place && queue[0] && (on[0] || kept === 0)) {
        if (kept >= 0) on[kept]++;
        kept = NONE;
        on[0]--;
        whole++;
      } else if (!place && queue[0]) {
        if (reserve && kept === NONE) {
          kept = 0;
          while (kept < places && !on[kept]) kept++;
          if (kept === places && Math.floor(uniform() * hosts) < whole) kept = WHOLE; else on[kept]--;
        }
        place = 1;
        continue;
      } else {
        const k = room();
        if (k < 0) break;
        while (place < view && queue[place]) place++;
        if (place === view) break;
        on[k]--;
        on[k + 1]++;
        small++;
      }
      queue.splice(place, 1);
      queue.push(uniform() < part);
    }
  }
  return { busy: (100 * area) / (time * all), path: path.map(([t, y]) => [t - path[0][0], y]) };
}

const known = new Map(); // the last few simulations

function run({ hosts, places, share }, rule) {
  const key = `${hosts} ${places} ${share} ${rule}`;
  if (!known.has(key)) {
    if (known.size > 8) known.clear();
    known.set(key, simulated(hosts, places, share / 100, rule));
  }
  return known.get(key);
}

function values(at) {
  const { hosts, places } = at, { ended, time } = columns(places, hosts), loss = time[hosts - 1] - ended[hosts - 1];
  return {
    ended: 100 * ended[hosts - 1], pool: 100 / hosts, time: time[hosts - 1], lost: loss * hosts * places,
    busy: run(at, at.rule).busy, in_order: run(at, 0).busy,
  };
}

function draw(at, { ended, pool, time, lost, busy, in_order }) {
  const { hosts, places, rule } = at, { shown, spaced } = tools, most = 1000, all = columns(places, most);
  const m = [...new Set([...spaced(1, most, 60, true).map(Math.round), hosts])].sort((a, b) => a - b);
  const { path } = run(at, rule), end = path.at(-1)[0];
  return {
    summary: `On average ${shown(ended)} % of the running jobs must end before a host is empty, and in one pool ${shown(pool)} %. ` +
      `This takes ${shown(time)} mean run times, and costs as much work as ${shown(lost, 2)} small jobs. ` +
      `Rule: ${data.rules[rule]}. Then ${shown(busy, 2)} % of the places are busy while jobs wait` +
      (rule ? `; in order, with best fit, ${shown(in_order, 2)} %.` : "."),
    charts: [
      {
        title: "What must end before a host is empty", height: 200,
        x: { label: "hosts", min: 1, max: most, log: true }, y: { label: "jobs that must end [%]", min: 0, max: 100 },
        lines: [
          { name: "on hosts", kind: 0, points: m.map((x) => [x, 100 * all.ended[x - 1]]) },
          { name: "in one pool", kind: 1, dashed: true, points: m.map((x) => [x, 100 / x]) },
        ],
        points: [{ x: hosts, y: ended, kind: 0 }],
      },
      {
        title: "Places that are busy while jobs wait", height: 200,
        x: { label: "time [mean run times]", min: 0, max: end }, y: { label: "places that are busy [%]", min: 0, max: 100 },
        lines: [
          { name: data.rules[rule], kind: 2, points: path },
          { name: "on average", kind: 4, dashed: true, points: [[0, busy], [end, busy]] },
        ],
      },
    ],
  };
}
