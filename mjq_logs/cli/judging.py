"""What ``mjq wait --against`` answers: how good promised starts were."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from mjq_logs.cli import sheet
from mjq_logs.cli.sheet import Chart, brief_time

if TYPE_CHECKING:
    from mjq_logs import Log, PromisesJudged

NAMES = {
    "mjq": "mjq",
    "replays alone": "replays alone",
    "jobs alike": "as long as jobs alike",
    "at once": "at once",
}  # of forecasts
EXPLAINED = (
    "All are judged by one rule on the same promises. Waits count from the time of the promise on. The error is the "
    "mean difference of log(1 + wait in minutes) between what was promised and what came. The numbers in brackets are "
    "its 95 % interval. There is none where the promises are of too few days, or most of them are of a few days.\n"
    "mjq is what mjq would have promised then, with 80 % intervals: from the job's place in the queue, and from jobs "
    "that had waited before. Replays alone: the median of replays under {policy}. As long as jobs alike: the median of "
    "what the latest jobs like it still waited after they had waited as long. At once: the job starts now."
)


def answer(path: str, log: Log, promises: str, judged: PromisesJudged) -> sheet.Answer:
    """Return the answer for people; `promises` is the name of their file."""
    name = Path(promises).name
    first = judged.scores[0]
    sentences = [
        _counted(name, judged),
        _off(first),
        *_compared(judged),
        *(n for n in judged.notes if n not in log.notes),
    ]
    more = {
        "what the columns mean": [EXPLAINED.format(policy=judged.policy)],
        "how good promises were by how far ahead they were": [_by_lead(name, judged)],
        "which promises are not judged": [_left_out(judged)] if judged.left_out else [],
    }
    names = [name, *(NAMES[score.forecast] for score in judged.scores[1:])]
    table = sheet.table(
        "Promised starts, and other forecasts at the same times", judged.scores, names=("forecast", names)
    )
    return sheet.answer(path, log, judged.warnings, sentences, table, more)


def charts(judged: PromisesJudged) -> Sequence[Chart]:
    """Return the pictures of a page."""
    from mjq_logs import plots

    return [
        Chart("Waits that came, by the wait that was promised", lambda ax: plots.waits_by_promise(judged, ax)),
        Chart("Error by how far ahead the promised start was", lambda ax: plots.error_by_lead(judged, ax)),
    ]


def _counted(name, judged):
    """Say how many promises there are, and how many are judged."""
    from mjq._util.plain import counted
    from mjq_logs.words import listed

    words = f"{name} has {counted(judged.promises, 'row')}"
    if judged.judged < judged.usable:
        words += f", of which {judged.usable} can be judged. {judged.judged} of these, spread evenly, are judged here"
    elif judged.usable < judged.promises:
        words += f", of which {judged.usable} can be judged"
    words += f". They promise the starts of {counted(judged.jobs, 'job')}."
    if judged.left_out:
        words += f" Not judged: {listed(f'{row.promises} because {row.why}' for row in judged.left_out)}."
    return words


def _off(score):
    """Say by how much promises were off, and in which direction."""
    from mjq_logs.words import percent

    off, bias = brief_time(score.minutes / 60), brief_time(abs(score.bias) / 60)
    words = f"On average, the promises were off by {off}"
    if bias != brief_time(0):
        words += f", and jobs started {bias} {'sooner' if score.bias > 0 else 'later'} than promised"
    if score.inside is not None:
        words += f"; {percent(score.inside, 0)} of the starts lay inside the promised interval"
    return f"{words}."


def _compared(judged):
    """Say whether mjq forecasts the same starts better, and whether a simple guess does."""
    scores = {score.forecast: score for score in judged.scores}
    theirs, sentences = judged.scores[0].error.value, []
    if judged.gain is not None:
        ours, low, high = scores["mjq"].error.value, judged.gain.low, judged.gain.high
        both = f"The error of the promises is {theirs:.2f}, and that of what mjq would have promised is {ours:.2f}."
        if low is None or high is None:
            sentences.append(f"{both} There are too few days to tell whether that is chance.")
        else:
            better = "mjq is better" if low > 0 else "The promises are better" if high < 0 else "That may be chance"
            sentences.append(
                f"{both} {better}: the difference is {judged.gain.value:.2f}, and its 95 % interval is {low:.2f} to "
                f"{high:.2f}."
            )
    simple = [name for name in ("jobs alike", "at once") if name in scores and scores[name].error.value < theirs]
    if simple:
        best = min(simple, key=lambda name: scores[name].error.value)
        guess = {
            "jobs alike": "that the job still waits as long as jobs alike did",
            "at once": "that the job starts at once",
        }[best]
        sentences.append(
            f"The simple guess {guess} has a smaller error than the promises: {scores[best].error.value:.2f}."
        )
    return sentences


def _by_lead(name, judged):
    """Return a table of the errors by how far ahead the promised start was."""
    from mjq_logs.answers import Column

    rows, both = judged.by_lead, [("promises", name), ("mjq", "mjq")]
    scores = {whose: [next((s for s in row.scores if s.forecast == whose), None) for row in rows] for whose, _ in both}

    def of(whose, field):
        return [None if score is None else getattr(score, field) for score in scores[whose]]

    columns = [
        (Column("promises", "", "d"), of("promises", "promises")),
        (Column("jobs", "", "d"), of("promises", "jobs")),
        *((Column(f"error,\n{shown}"), of(whose, "error")) for whose, shown in both),
        *((Column(f"too late by,\n{shown}", "min", "+.1f"), of(whose, "bias")) for whose, shown in both),
        *((Column(f"starts inside,\n{shown}", "%", ".0f"), of(whose, "inside")) for whose, shown in both),
        (
            Column("waits that came:\n80 % of them"),
            [f"{brief_time(row.came_low)} to {brief_time(row.came_high)}" for row in rows],
        ),
    ]
    return sheet.table(
        "By how far ahead the promised start was", [], *columns, names=("promised wait", map(_lead, rows))
    )


def _lead(row):
    """Return for how far ahead promises are, in words."""
    if row.below is None:
        return f"{brief_time(row.at_least)} and more"
    return (
        f"{brief_time(row.at_least)} to {brief_time(row.below)}" if row.at_least else f"below {brief_time(row.below)}"
    )


def _left_out(judged):
    """Return a table of the promises that are not judged."""
    return sheet.table("Promises that are not judged", judged.left_out)
