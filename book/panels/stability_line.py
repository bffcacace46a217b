"""The line of saturated states of the chapter's example, walked step by step: each step multiplies by a factor."""

from live_panels import Guess, Panel, Slider

from mjq import stability as st

SIZE = SERVERS, SMALL, LARGE = 30, 3, 10
STEPS = SERVERS // SMALL


def values(step, small, ratio):
    system = *SIZE, 1, ratio, small / 100
    listed = map(tuple, st.saturated_states(*SIZE).tolist())
    chances = dict(zip(listed, st.embedded_distribution(*system).tolist(), strict=True))
    along = [chances[st.u(i, *SIZE)] for i in range(STEPS + 1)]
    return {"factor": along[step] / along[step - 1] if step else 1, "probability": 100 * along[step]}


PANEL = Panel(
    title="Try it: walk along the line of states",
    note="The example: thirty servers, small jobs need 3 of them and large jobs 10. Each step multiplies by the factor "
    "of the table. The bars are exact: the states just after a completion.",
    page="notebooks/stability",
    cell="line",
    replaces=False,
    sliders=(
        Slider("step", "state", 0, STEPS, 1, 0, whole=True, unit=f"of {STEPS}"),
        Slider("small", "small jobs", 5, 95, 1, 70, whole=True, unit="% of the jobs"),
        Slider("ratio", "rate of large to small jobs", -2, 2, 0.02, -0.3, log=True, unit=": 1"),
    ),
    values=values,
    guess=Guess(
        question="If 70 % of the jobs are small, {probability:.0f} % of the completions leave the first state behind, "
        "with large jobs alone. What part leaves the last one, with small jobs alone, if 90 % are small?",
        at={"step": STEPS, "small": 90, "ratio": 10**-0.3},
        value="probability",
        high=99,
        why="Ten small jobs must follow each other, and the few large ones between them run twice as long.",
    ),
    plays="step",
    data={"servers": SERVERS, "needs": [SMALL, LARGE]},
)
