"""The edge of the staircase of the chapter's example, walked state by state: which completions lead to each of them."""

from live_panels import Guess, Panel, Slider

from mjq import several_resources as sr

SIZE, NEEDS = (12, 12), ((4, 1), (1, 4))
STAIRCASE = sr.staircase(SIZE, NEEDS).tolist()
STATES = len(sr.product_form(STAIRCASE, 1, 1, 0.5).states)


def values(step, share, ratio):
    edge = sr.product_form(STAIRCASE, 1, ratio, share / 100)
    return {"probability": 100 * edge.embedded[step - 1], "first": share}


PANEL = Panel(
    title="Try it: walk along the staircase",
    note="The machine of the case by hand: 12 units of each resource, and needs of (4, 1) and (1, 4). A state is a "
    "place at the edge and the class of the next job, which does not fit. Each bar says how often a completion leaves "
    "this state behind; its parts say which class completed. The page follows every completion from every state and "
    "adds up where it leads. The bars are exact.",
    page="notebooks/several_resources",
    cell="walk",
    replaces=False,
    sliders=(
        Slider("step", "state", 1, STATES, 1, 1, whole=True, unit=f"of {STATES}"),
        Slider("share", "jobs of class 1", 5, 95, 1, 70, whole=True, unit="%"),
        Slider("ratio", "rate of class 2 to that of class 1", -2, 2, 0.02, -0.3, log=True, unit=": 1"),
    ),
    values=values,
    guess=Guess(
        question="If 70 % of the jobs are of class 1, {probability:.0f} % of the completions leave the first state "
        "behind. What part does so if half of the jobs are of class 1?",
        at={"step": 1, "share": 50, "ratio": 10**-0.3},
        value="probability",
        high=60,
        why="In this state three jobs of class 2 run and a fourth is next, and now so many come in a row more often.",
    ),
    plays="step",
    data={"staircase": STAIRCASE},
)
