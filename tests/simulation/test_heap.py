"""The heap of completions to come: whatever is added or dropped, the first is the earliest, and nobody is lost."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from mjq.simulation.engine.heap import pop, push, remove

steps = st.lists(
    st.tuples(st.sampled_from(("push", "pop", "remove")), st.integers(0, 9), st.integers(0, 99)), max_size=60
)


@given(steps)
def test_the_heap_keeps_what_a_list_keeps(steps):
    due, kinds, kept = np.empty(60), np.empty(60, dtype=np.int64), []
    for number, (step, time, draw) in enumerate(steps):
        if step == "push":
            push(due, kinds, len(kept), time, number)
            kept.append((time, number))
        elif kept:
            place = 0 if step == "pop" else draw % len(kept)
            kept.remove((due[place], kinds[place]))
            pop(due, kinds, len(kept)) if step == "pop" else remove(due, kinds, len(kept), place)
        assert sorted(zip(due[: len(kept)], kinds[: len(kept)], strict=True)) == sorted(kept)
        if kept:
            assert due[0] == min(kept)[0]
