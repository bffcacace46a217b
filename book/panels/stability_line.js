/** The saturated states by their small jobs, with the kind of the step that leads there, its factor, and the weight. */
function lineOf({ small, ratio }) {
  const { servers, needs: [need1, need2] } = data, p1 = small / 100, p2 = 1 - p1, states = [];
  for (let i = 0; i * need1 <= servers; i++) {
    const j = Math.floor((servers - i * need1) / need2);
    const blocked = servers - i * need1 - j * need2 >= need1, rho1 = i / (i + j * ratio);
    const before = states[i - 1];
    let kind = "", factor = 1;
    if (before) {
      kind = before.blocked ? (blocked ? "a" : "b") : blocked ? "c" : "d";
      factor = p1 / rho1 / (blocked ? 1 : p2) * (before.blocked ? 1 : 1 - before.rho1);
    }
    states.push({ i, j, blocked, rho1, kind, factor, weight: before ? before.weight * factor : 1 });
  }
  const whole = states.reduce((sum, state) => sum + state.weight, 0);
  return states.map((state) => ({ ...state, probability: (100 * state.weight) / whole }));
}

function values(at) {
  const { factor, probability } = lineOf(at)[at.step];
  return { factor, probability };
}

function draw(at, { factor, probability }) {
  const states = lineOf(at), here = states[at.step], { shown } = tools;
  const count = (number, size) => `${number} ${size} ${number === 1 ? "job" : "jobs"}`;
  const what = { a: "a small job comes", b: "a small job comes, and none blocks any more" };
  const gone = { c: "a small job comes, a large one goes, and one blocks", d: "a small job comes, and a large one goes" };
  const rule = { a: "p₁/ρ₁", b: "p₁/(p₂ρ₁)", c: "p₁ρ₂/ρ₁", d: "p₁ρ₂/(p₂ρ₁)" }[here.kind];
  const step = here.kind
    ? `Step ${here.kind}: ${{ ...what, ...gone }[here.kind]}. Times ${rule} = ${shown(factor)}.`
    : "The line begins here.";
  return {
    summary: `${step} Now ${count(here.i, "small")} and ${count(here.j, "large")} run${here.blocked ? ", a large one blocks" : ""}: `
      + `${shown(probability)} % of the completions leave this state behind.`,
    charts: [
      {
        title: "How often a completion leaves a state behind", height: 200,
        x: { label: "small jobs in service", min: -0.6, max: states.length - 0.4, whole: true },
        y: { label: "% of completions", min: 0, max: 1.05 * Math.max(...states.map((state) => state.probability)) },
        boxes: states.slice(0, at.step + 1).map((state) => ({
          x: [state.i - 0.35, state.i + 0.35], y: [0, state.probability],
          kind: state.i === at.step ? 3 : 0, name: state.i === at.step ? "this state" : "states before it",
        })),
      },
      {
        title: "The states: large jobs in service", height: 110,
        x: { label: "small jobs in service", min: -0.6, max: states.length - 0.4, whole: true },
        y: { label: "", min: 0, max: 1, bare: true },
        boxes: states.map((state) => ({
          x: [state.i - 0.42, state.i + 0.42], y: [0.1, 0.9], text: String(state.j),
          kind: state.blocked ? 1 : 2, name: state.blocked ? "a large job blocks" : "nobody blocks",
        })),
        rules: [{ x: at.step, kind: 3 }],
      },
    ],
  };
}
