/** How n and −h drift in a state: arrivals less completions, and what its completions make of the head start. */
function driftsIn(state, load) {
  const rates = data.moves[state], sum = (terms) => terms.reduce((total, term) => total + term, 0);
  const number = (load / 100) * data.capacity - sum(rates);
  const head = -sum(rates.map((rate, next) => rate * (data.ahead[next] - data.ahead[state])));
  return { number, head, together: number + head };
}

function values({ step, load }) {
  return driftsIn(Math.floor(step / 2), load);
}

function draw({ step, load }, { number, head, together }) {
  const here = Math.floor(step / 2), both = step % 2 === 1, { shown } = tools;
  const [small, large, next] = data.states[here], { capacity, moves, ahead } = data, last = data.states.length;
  const arrive = (load / 100) * capacity, reached = moves[here].map((rate) => rate > 0);
  const jobs = `${small} ${small === 1 ? "job" : "jobs"} of class 1 and ${large} of class 2 run, class ${next} is next`;
  const first = `State ${here + 1} of ${last}: ${jobs}. ${shown(arrive)} jobs arrive and ${shown(arrive - number)} are completed per unit `
    + `of time, so n drifts by ${shown(number)}.`;
  const second = `State ${here + 1} of ${last}: the completions lead to states that have ${head < 0 ? "more" : "less"} of a head start, `
    + `so −h drifts by ${shown(head)}. Together: ${shown(number)} ${head < 0 ? "−" : "+"} ${shown(Math.abs(head))} = ${shown(together)}, as in every state.`;
  const boxes = data.states.slice(0, here + 1).flatMap((_, state) => {
    const drifts = driftsIn(state, load), sorted = (a, b) => [Math.min(a, b), Math.max(a, b)];
    const of = { x: [state + 0.6, state + 1], y: sorted(0, drifts.number), kind: 0, name: "drift of n" };
    const back = { x: [state + 1, state + 1.4], y: sorted(drifts.number, drifts.together), kind: 1, name: "drift of −h, on top of it" };
    return state < here || both ? [of, back] : [of];
  });
  const lowest = Math.min(...data.states.map((_, state) => driftsIn(state, load).number));
  const low = Math.min(...ahead) - 0.4, high = Math.max(...ahead) + 0.4;
  const states = { label: "state, in the order of the table", min: 0.4, max: last + 0.6, whole: true };
  return {
    summary: both ? second : first,
    charts: [
      {
        title: "Drifts of n and −h", height: 250, x: states,
        y: { label: "jobs per unit of time", min: lowest - 0.4, max: capacity },
        boxes, rules: [{ y: together, kind: 3, name: "λ − X" }],
      },
      {
        title: "The head start h of each state", height: 170, x: states,
        y: { label: "h [jobs]", min: low, max: high },
        boxes: ahead.map((head, state) => ({
          x: [state + 0.7, state + 1.3], y: [Math.min(head, 0), Math.max(head, 0)],
          kind: state === here ? 3 : reached[state] ? 1 : 2,
          name: state === here ? "this state" : reached[state] ? "a completion leads there" : "other states",
        })),
      },
    ],
  };
}
