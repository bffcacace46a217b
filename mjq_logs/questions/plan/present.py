"""A plan for people: a table, further ones for --full, and the charts of a page."""

from __future__ import annotations

from functools import partial

from mjq_logs.answers import Column
from mjq_logs.questions.plan.answer import Plan
from mjq_logs.reading.facts import Facts
from mjq_logs.tables import Answer, Chart, table
from mjq_logs.tables import answer as answer_of
from mjq_logs.words import amount_in_words


def _charts(result):
    from mjq_logs import plots

    goal, charts = f"{result.percentile:g} % wait at most", []
    if result.target is not None:
        charts += [
            Chart(f"{words}, against the {what}", partial(draw, result, quantity=quantity))
            for what, draw in (("size", plots.waits_by_size), ("load", plots.waits_by_load))
            for quantity, words in (("percentile", goal), ("mean", "Mean wait"))
        ]
    if result.what_if:
        caption = f"Mean wait on {amount_in_words(result.what_if[0].servers)}, as it is and under each change"
        charts.append(Chart(caption, partial(plots.waits_by_change, result)))
    return charts


def present(path: str, facts: Facts, result: Plan) -> Answer:
    """Return a plan for people: its sentences, and the table of sizes or, if changes are asked for, that of changes."""
    sentences = [sentence for answer in result.policies for sentence in answer.verdict]
    sentences += dict.fromkeys(f"{effect.change}: {effect.told}" for effect in result.what_if)
    first, *others = [_by_size(answer, result) for answer in result.policies] or [None]
    if result.what_if:
        first, others = _what_if(result), [first, *others] if first else []
    assumed = [f"- {sentence}" for sentence in result.assumes]
    more = {
        "how well replays agree with the log": ["\n".join(result.real_waits)] if result.real_waits else [],
        "waits on machines of other sizes" if result.what_if else "waits under other policies": others,
        "waits at other loads": [_by_load(answer, result) for answer in result.policies if answer.loads],
        "what all of this assumes": ["\n".join(["All of this assumes:", *assumed])] if assumed else [],
    }
    title = "How many servers?" if result.target is not None else "What if?"
    return answer_of(path, facts, result.warnings, sentences, first, more, result.notes, title, _charts(result))


def _what_if(result):
    machine = amount_in_words(result.what_if[0].servers)
    title = f"{machine}: the same jobs as they are and under each change, with 95 % intervals of the difference"
    return table(title, result.what_if, percentile=result.percentile)


def _by_size(answer, result):
    rows = [row for row in answer.sizes if row.shown]
    known = any(row.waits and row.waits.mean.low is not None for row in rows)
    sentences = [f"Waits under {answer.policy}" + ", with 95 % intervals" * known]
    if known:
        further = "server" if result.node == 1 else "node"
        sentences += [
            "What is saved is of the mean wait, and is left out where its interval holds zero",
            f"What each further {further} saves is the mean from this size to the next that is at least a tenth larger",
        ]
    if between := [f"{row.servers:g}" for row in answer.sizes if not row.shown]:
        further = (
            f"A further size, {between[0]}, was tried, and is" if len(between) == 1
            else f"Further sizes from {between[0]} to {between[-1]} were tried, and are"
        )  # fmt: skip
        sentences.append(f"{further} in --json; the table has those at which the target begins to be met or missed")
    verdicts = [_verdict(row, answer.tells) if row.waits else f"too small for {row.too_large}" for row in rows]
    words = dict(percentile=result.percentile, node=result.node)
    return table(". ".join(sentences), rows, (Column("target"), verdicts), **words)


def _verdict(row, tells):
    """Return in a word or two whether a size meets the target, and whether the log can tell where it can of some."""
    sure = not tells or row.surely or row.surely_misses
    return ("met" if row.meets else "missed") + ("" if sure else ", not surely")


def _by_load(answer, result):
    title = f"Waits on {amount_in_words(answer.servers)} under {answer.policy}, with less and with more load"
    return table(title, answer.loads, percentile=result.percentile)
