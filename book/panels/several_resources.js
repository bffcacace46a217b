/** The edge of what fits, for the needs [class 1, class 2] of each resource, and how the time is spent on it. */
function edge(needs, share, time) {
  const fit = needs.filter(([first]) => first).map(([first]) => Math.floor(data.size / first));
  const beside = (i) => needs.filter(([, second]) => second).map(([first, second]) => Math.floor((data.size - i * first) / second));
  const J = Array.from({ length: Math.min(...fit) + 1 }, (_, i) => Math.min(...beside(i))); // most class-2 jobs beside i
  const I = Array.from({ length: J[0] + 1 }, (_, j) => J.filter((most) => most >= j).length - 1);
  const weights = (others, part, ratio) => others.reduce((all, other, x) => [...all, x ? all[x - 1] * part * (1 + (other * ratio) / x) : 1], []);
  const parts = [share / 100, 1 - share / 100], first = weights(J, parts[0], 1 / time), second = weights(I, parts[1], time);
  const states = [...J.map((j, i) => ({ i, j, next: 1 })), ...I.map((i, j) => ({ i, j, next: 0 }))];
  let jobs = 0, whole = 0;
  for (const state of states) {
    const weight = first[state.i] * second[state.j] * parts[state.next];
    state.time = weight / (state.i + state.j / time);
    jobs += weight;
    whole += state.time;
  }
  for (const state of states) {
    const lacks = needs.map((need) => need[state.next] > data.size - state.i * need[0] - state.j * need[1]);
    state.time /= whole;
    state.kind = lacks.every(Boolean) ? 2 : lacks.indexOf(true);
  }
  return { J, states, capacity: jobs / whole };
}

/** The capacity if only this resource counted: a class that needs nothing of it never waits. */
function view([first, second], share, time) {
  if (!second) return Math.floor(data.size / first) / (share / 100);
  if (!first) return Math.floor(data.size / second) / time / (1 - share / 100);
  return edge([[first, second]], share, time).capacity;
}

/** The best mixture of two packings: as many jobs of each class in service as its share of the work wants. */
function packing(J, share, time) {
  const work = [share / 100, (1 - share / 100) * time], corners = J.map((j, i) => [i / work[0], j / work[1]]);
  let best = 0;
  for (const a of corners) for (const b of corners) {
    const from = a[0] - a[1], to = b[0] - b[1], part = from * to < 0 ? from / (from - to) : 0;
    best = Math.max(best, Math.min(...a.map((x, k) => x + part * (b[k] - x))));
  }
  return best;
}

function solved({ processors1, memory1, processors2, memory2, share, time }) {
  const needs = [[processors1, processors2], [memory1, memory2]];
  const largest = [Math.max(processors1, memory1), Math.max(processors2, memory2)];
  const { J, states, capacity } = edge(needs, share, time);
  const lacks = (kind) => states.reduce((sum, state) => sum + (state.kind === kind ? 100 * state.time : 0), 0);
  const numbers = {
    capacity, processors: view(needs[0], share, time), memory: view(needs[1], share, time),
    dominant: view(largest, share, time), packing: packing(J, share, time),
    lacks_processors: lacks(0), lacks_memory: lacks(1), lacks_both: lacks(2),
  };
  return { J, states, numbers };
}

function values(at) {
  return solved(at).numbers;
}

/** A box at each packing on the edge, its area by the time, in parts by what the next job lacks. */
function boxesOf(states) {
  const places = new Map(), names = ["lacks only processors", "lacks only memory", "lacks both"];
  for (const { i, j, time, kind } of states) {
    const place = places.get(`${i} ${j}`) ?? { i, j, parts: [0, 0, 0] };
    place.parts[kind] += time;
    places.set(`${i} ${j}`, place);
  }
  const total = ({ parts }) => parts[0] + parts[1] + parts[2], most = Math.max(...[...places.values()].map(total));
  return [...places.values()].flatMap((place) => {
    const side = 0.9 * Math.sqrt(total(place) / most);
    let right = place.i - side / 2;
    return place.parts.map((part, kind) => {
      const left = right;
      right += (side * part) / total(place);
      return { name: names[kind], kind, x: [left, right], y: [place.j - side / 2, place.j + side / 2] };
    }).filter((box) => box.x[1] > box.x[0]);
  }).sort((a, b) => a.kind - b.kind);
}

function draw(at, numbers) {
  const { shown, spaced } = tools, { J, states } = solved(at), { capacity, processors, memory, dominant, packing } = numbers;
  const steps = [...J.flatMap((j, i) => [[i - 0.5, j + 0.5], [i + 0.5, j + 0.5]]), [J.length - 0.5, -0.5]];
  const shares = [...spaced(2, 98, 97), at.share].sort((a, b) => a - b).map((share) => [share, values({ ...at, share })]);
  const line = (name, kind, key, dashed) => ({ name, kind, dashed, points: shares.map(([x, all]) => [x, all[key]]) });
  const jobs = shown(capacity) === "1" ? "job" : "jobs", kinds = ["only processors", "only memory", "both"];
  const lacks = [numbers.lacks_processors, numbers.lacks_memory, numbers.lacks_both]
    .flatMap((part, k) => (part < 0.05 ? [] : [`${kinds[k]} for ${shown(part, 2)} %`]));
  const top = Math.max(...shares.map(([, all]) => all.packing), Math.min(processors, memory));
  return {
    summary: `In order of arrival the machine completes ${shown(capacity)} ${jobs} per unit of time. Processors alone promise ` +
      `${shown(processors)}, memory alone ${shown(memory)}, and the dominant share ${shown(dominant)}. The best packing reaches ` +
      `${shown(packing)}. The next job lacks ${[lacks.slice(0, -1).join(", "), lacks.at(-1)].filter(Boolean).join(" and ")} of the time.`,
    charts: [
      {
        title: "What fits together, and where the machine waits", height: 200,
        x: { label: "jobs of class 1 in service", min: -0.5, max: Math.max(J.length - 0.4, 3.6), whole: true },
        y: { label: "jobs of class 2", min: -0.5, max: Math.max(J[0] + 0.6, 3.6), whole: true },
        lines: [{ name: "edge of what fits", kind: 4, points: steps }],
        boxes: boxesOf(states),
      },
      {
        title: "Capacity against the share of class 1", height: 220,
        x: { label: "jobs of class 1 [%]", min: 0, max: 100 },
        y: { label: "jobs per unit of time", min: 0, max: 1.15 * top },
        lines: [
          line("best packing", 3, "packing", true), line("processors alone", 0, "processors"),
          line("memory alone", 1, "memory"), line("in order of arrival", 2, "capacity"), line("dominant share", 4, "dominant", true),
        ],
        points: [{ x: at.share, y: capacity, kind: 2 }],
      },
    ],
  };
}
