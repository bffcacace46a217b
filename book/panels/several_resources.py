"""Two classes on a machine with processors and memory: what fits, the capacity, and what the next job lacks."""

from live_panels import Guess, Panel, Slider

from mjq import System

SIZE = 12  # of each resource


def values(processors1, memory1, processors2, memory2, share, time):
    needs, mix = [(processors1, memory1), (processors2, memory2)], (share / 100, 1 - share / 100)
    machine = System((SIZE, SIZE), needs, (1, 1 / time), mix, resources=("processors", "memory"))
    processors, memory = machine.capacity_by_resource
    lacks = {name: 100 * part for name, part in machine.short_of_at_capacity.items()}
    return {
        "capacity": machine.capacity,
        "processors": processors,
        "memory": memory,
        "dominant": machine.capacity_by_dominant_share,
        "packing": machine.packing_bound,
        "lacks_processors": lacks.get(("processors",), 0.0),
        "lacks_memory": lacks.get(("memory",), 0.0),
        "lacks_both": lacks.get(("processors", "memory"), 0.0),
    }


def needs(processors1, memory1, processors2, memory2):
    return {"processors1": processors1, "memory1": memory1, "processors2": processors2, "memory2": memory2}


PANEL = Panel(
    title="Try it: processors and memory",
    note="The machine has 12 processors and 12 units of memory. Jobs start in order of arrival, and there is always a "
    "next one. Run times are exponential, with a mean of one unit of time for class 1. The last slider sets the mean "
    "for class 2. Whatever lies below the staircase fits. The machine waits at the boxes. Their areas show how much of "
    "the time it spends there, their colours what the next job lacks. All numbers are exact; the page sums the product "
    "form along the staircase.",
    page="notebooks/several_resources",
    cell="answer-picture",
    replaces=False,
    sliders=(
        # Each resource is needed by some class, and each class needs something.
        Slider("processors1", "class 1: processors", 1, SIZE, 1, 4, whole=True),
        Slider("memory1", "class 1: memory", 0, SIZE, 1, 1, whole=True),
        Slider("processors2", "class 2: processors", 0, SIZE, 1, 1, whole=True),
        Slider("memory2", "class 2: memory", 1, SIZE, 1, 4, whole=True),
        Slider("share", "jobs of class 1", 2, 98, 1, 50, unit="%"),
        Slider("time", "class 2: time", -2, 2, 0.02, 0, log=True),
    ),
    values=values,
    guess=Guess(
        question="Suppose that class 1 needed only one processor, and class 2 only one unit of memory. Each resource "
        "alone then promises {there[processors]:.0f} jobs per unit of time. How many are finished in order of arrival?",
        at=needs(1, 0, 0, 1) | {"share": 50, "time": 1},
        value="capacity",
        high=30,
        step=0.5,
        unit="jobs per unit of time",
        much="many",
        why="A job that lacks one resource also stops those behind it that need only the other one.",
    ),
    presets={
        "The machine of this page": needs(4, 1, 1, 4) | {"share": 50, "time": 1},
        "One resource is enough": needs(4, 1, 2, 1) | {"share": 50, "time": 1},
        "They share no resource": needs(1, 0, 0, 1) | {"share": 50, "time": 1},
        "They never run together": needs(12, 1, 0, 12) | {"share": 98, "time": 49},
    },
    data={"size": SIZE},
)
