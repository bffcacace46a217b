"""How long the jobs of a log wait under other policies, or on hosts: the answer, and what it says in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, NamedTuple

import numpy as np
from pydantic import BeforeValidator, Field

from mjq._util.plain import brief, counted, printable
from mjq.simulation import Schedule
from mjq.simulation.policies import names_of
from mjq.simulation.policies import policy as policy_of
from mjq_logs.answers import HOUR, Amount, Column, Number, Plain, finite
from mjq_logs.machine.host_cases import (
    CASES,
    PASSING,
    VIEW,
    fewest_fit,
    hosts_in_words,
    jobs_that_fit,
    kept_free_in_words,
    left_out_in_words,
    rules_on,
)
from mjq_logs.machine.hosts import Hosts
from mjq_logs.machine.lacking import Blocked, lacking, who_blocks
from mjq_logs.machine.replaying import replay_log
from mjq_logs.reading.facts import Facts, facts_of
from mjq_logs.reading.window import window_in_words
from mjq_logs.tables import Answer, answer, table
from mjq_logs.words import amount_of, listed, time_in_words


class PolicyReplay(Plain):
    """Hold how long the jobs of a log wait in a replay under one policy; in JSON its times are in seconds."""

    policy: Annotated[str, Column("policy")]
    mean_wait: Annotated[float, Column("mean wait", "h", per=HOUR), Field(alias="mean wait [s]")]
    most_wait: Annotated[float, Column("95 % wait\nat most", "h", per=HOUR), Field(alias="95 % wait at most [s]")]
    slowdown: Annotated[float, Column("bounded\nslowdown", "", ".3f"), Field(alias="bounded slowdown")]
    wait_of_hard: Annotated[
        Number,
        Column("mean wait of the\nhard to place", "h", per=HOUR),
        Field(alias="mean wait of the hard to place [s]"),
    ] = None
    """Of the jobs that are hardest to place; left out where each job fits everywhere."""
    utilization: Annotated[Amount | None, BeforeValidator(finite), Column("utilization", "", ".4f")]
    """Null where no time passes from the first arrival to the last end."""
    last_end: Annotated[float, Column("last end", "h", ".1f", per=HOUR), Field(alias="last end [s]")]
    somebody_waits: float | None = None
    """Share of the time in which somebody waits; left out with one resource, as is the next one."""
    blocked: list[Blocked] | None = None
    """What the first in the queue then lacks, the most frequent first."""


class Replays(NamedTuple):
    """Hold replays of a log under some rules, by their names."""

    facts: Facts
    rows: list[PolicyReplay]
    schedules: Mapping[str, Schedule]
    """Of those that are to be drawn."""
    starts: Mapping[str, np.ndarray]
    sentences: Sequence[str]
    notes: Sequence[str]
    """In JSON: the sentences, and what is known of the log."""
    warnings: Sequence[str]
    too_large: int = 0
    """Jobs that fit on no host, and are left out."""
    title: str = "How long the jobs wait under each policy"

    def plain(self) -> dict[str, Any]:
        """Return what the command prints as JSON."""
        log, lines = self.facts.log, self.facts.log.lines
        assert lines is not None  # of a log that was read from a file
        return {
            "jobs": len(log),
            "left out": self.too_large + lines.read - lines.used,
            "servers": amount_of(log.machine(), log.resources),
            "lines": lines.model_dump(),
            "notes": list(self.notes),
            "policies": [row.model_dump(by_alias=True, exclude_unset=True) for row in self.rows],
        }

    def present(self, path: str) -> Answer:
        """Return the same for people."""
        return answer(path, self.facts, self.warnings, self.sentences, table(self.title, self.rows), {})


def replay_under(
    facts: Facts, policies: Sequence[str], growth: float = 1.0, estimates: str = "log", drawn: bool = False
) -> Replays:
    """Replay a log on its machine under each of several policies.

    The `estimates` are those of the log, or a multiple of its run times. Schedules are kept if they are to be `drawn`.
    """
    log = facts.log
    estimate = _estimates(log, estimates)
    rows, blocking, schedules, starts = [], [], {}, {}
    for policy in names_of(policies):
        made = replay_log(log, log.machine(), policy, growth, estimate)
        lacks: dict[str, Any] = {}
        if log.resources:
            all_jobs = made.schedule
            queue = all_jobs.submit, all_jobs.start, all_jobs.need, all_jobs.run
            found = lacking(*queue, all_jobs.servers, log.resources)
            lacks = {"somebody_waits": found.waits, "blocked": found.blocked}
            blocking.append(f"Under {policy}, {who_blocks(found.waits, found.blocked, log.resources)}")
        schedule = made.of_log()
        blocking += _by_priority(f"Under {policy} the mean wait is", log, schedule.wait)
        rows.append(_row(policy, log, made, schedule, lacks))
        starts[policy] = schedule.start
        if drawn:  # of a long log, only what is asked for is kept
            schedules[policy] = schedule
        del made, schedule  # before the next one is made
    sentences = [*_real_waits(log), *_of_estimates(log, estimates, policies), *blocking]
    seen = window_in_words(facts.window)
    notes = [*([seen] if seen else []), *sentences, *facts.outages]
    return Replays(facts, rows, schedules, starts, sentences, notes, _doubts(facts))


def replay_on(facts: Facts, hosts: Hosts, growth: float = 1.0) -> Replays:
    """Replay a log of these hosts in order of arrival, under each rule, the first for all hosts as one pool."""
    log, too_large, work = jobs_that_fit(facts.log, hosts)
    log.require_arrivals()
    warnings = [left_out_in_words(too_large, work)] if too_large else []
    hard = fewest_fit(log, hosts)
    rows, starts = {}, {}
    for name, rule in rules_on(hosts).items():
        made = replay_log(log, log.machine(), rule, growth)
        of_hard: dict[str, Any] = (
            {} if hard is None else {"mean wait of the hard to place [s]": float(made.wait[hard].mean())}
        )
        schedule = made.of_log()
        rows[name] = _row(CASES[name], log, made, schedule, of_hard)
        starts[CASES[name]] = schedule.start
    mean = {name: time_in_words(row.mean_wait / HOUR) for name, row in rows.items()}
    waits_of_hard = [row.wait_of_hard / HOUR for name in PASSING if (row := rows[name]).wait_of_hard is not None]
    sentences = [
        *_real_waits(log),
        f"In order of arrival the jobs would wait {mean['pool']} on average if all hosts were one pool. On "
        f"{hosts_in_words(hosts, log.resources)} they wait {mean['best fit']} if each goes to the fullest host on "
        f"which it fits, and {mean['worst fit']} if they are spread.",
        f"If the next {VIEW - 1} jobs may pass a job that fits nowhere, and one host is kept free for it, they wait "
        f"{mean['passing']}. If none is kept free, they wait {mean['freely']}.",
        *kept_free_in_words(waits_of_hard),
    ]
    return Replays(
        facts_of(log) if too_large else facts, list(rows.values()), {}, starts, sentences, [*log.notes, *sentences],
        [*warnings, *_doubts(facts)], too_large, "How long the jobs wait in order of arrival",
    )  # fmt: skip


def _doubts(facts):
    """Return what makes a replay doubtful: one of a few jobs is what it is."""
    return [words for words in facts.warnings if words != facts.short]


def _row(name, log, made, schedule, more):
    used = made.schedule.utilization
    columns: dict[str, Any] = {
        "mean wait [s]": float(schedule.wait.mean()),
        "95 % wait at most [s]": float(np.quantile(schedule.wait, 0.95)),
        "bounded slowdown": float(schedule.bounded_slowdown()),
        "last end [s]": float(schedule.finish.max()),
        "utilization": dict(zip(log.resources, used.tolist(), strict=True)) if log.resources else used,
    }
    return PolicyReplay(policy=name, **columns | more)


def _estimates(log, given):
    """Return the estimates; one that is unknown or too low is taken to be exact."""
    if given == "log":
        return np.zeros(len(log)) if log.estimate is None else np.nan_to_num(log.estimate)
    try:
        factor = float(given)
    except ValueError:
        raise ValueError(f"--estimates must be log or a number, got {brief(given)}") from None
    if not 1 <= factor < float("inf"):
        raise ValueError(f"--estimates must be a finite number of at least 1, got {brief(given)}")
    return factor * log.run


def _real_waits(log):
    wait = None if log.wait is None or log.submits_are_starts else log.wait[~np.isnan(log.wait)] / HOUR
    if wait is None or not len(wait):
        return []
    mean, most = time_in_words(float(wait.mean())), time_in_words(float(np.quantile(wait, 0.95)))
    real = f"By the log itself the jobs waited {mean} on average, and 95 % of them at most {most}."
    return [real, *_by_priority("By the log itself the mean wait was", log, log.wait)]


def _by_priority(where, log, waits):
    if log.priority is None:
        return []
    parts, highest = [], len(log.priority_names)
    for place, name in enumerate([*log.priority_names, None]):
        these = waits[(log.priority == highest - place) & (waits >= 0)]  # one that is not known compares as false
        if len(these):
            whose = (
                counted(len(these), "other") if name is None else f"{counted(len(these), 'job')} of {printable(name)}"
            )
            mean = time_in_words(float(these.mean()) / HOUR)
            parts.append(f"{mean} for {whose}")
    return [f"{where} {listed(parts)}."]


def _of_estimates(log, given, policies):
    """Say that policies which look at estimates get run times instead, if the log has no estimates."""
    rules = {name: policy_of(name) for name in policies}
    asking = [name for name, rule in rules.items() if rule.knows_times]
    if given != "log" or log.estimate is not None or not asking:
        return []
    return [f"The log has no estimates, so run times are taken for estimates ({', '.join(asking)})."]
