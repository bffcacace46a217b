"""Make the table of reference values: ``python -m tests.reference.making "why it changes"``.

Rows are computed in both ways. Schedules come from ``mjq_book.published.schedules``, values of other programs from
``tests/foreign``. If a value changes, the history gets a line that says why.
"""

import csv
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

from mjq_book import reference
from mjq_book.published import schedules
from mjq_book.published.schedules import making
from mjq_book.reference import FIELDS, Row, as_json, digest
from tests.conftest import ROOT
from tests.reference.digits import LARGEST_DENOMINATOR, computed, rounded, supported, to_decimal
from tests.reference.problems import PROBLEMS, QUANTITIES
from tests.reference.ways import WAYS

FOLDER = Path(reference.__path__[0])
FOREIGN = ROOT / "tests/foreign/values.csv"
WITHIN_OURS = Decimal("1e-10")  # relatively: what the tests allow where another program errs
TIES, LIMIT = "completions first", "run past"


def _row(**given) -> Row:
    cells = {"exact": "", "slow": False} | given
    return {key: cells[key] for key in FIELDS}


def _command(key, slow=False):
    return f'pytest tests/reference -k "[{key}]"' + " -m slow" * slow


def of_problem(key: str) -> list[Row]:
    """Return the rows of a problem, computed."""
    problem, (first, second) = PROBLEMS[key], computed(key)
    rows = []
    for symbol in problem.wanted:
        name, quantity, unit = QUANTITIES[problem.model][symbol]
        value, apart = supported(to_decimal(first[symbol]), to_decimal(second[symbol]))
        best = second[symbol]
        short = isinstance(best, Fraction) and best.denominator <= LARGEST_DENOMINATOR
        rows.append(
            _row(
                id=f"{key}/{name}",
                origin="computed",
                model=problem.model,
                problem=problem.title,
                parameters=problem.parameters,
                quantity=quantity,
                symbol=symbol,
                unit=unit,
                value=value,
                exact=str(best) if short else "",
                apart=apart,
                first=WAYS[problem.first].words,
                second=WAYS[problem.second].words,
                command=_command(key, problem.slow),
                slow=problem.slow,
            )
        )
    return rows


def of_schedules() -> Iterator[Row]:
    """Yield the schedules that were made by hand, a row a policy."""
    starts = schedules.schedules()
    for number, (name, work) in enumerate(schedules.workloads().items(), start=1):
        if name not in making.SHOWN:
            continue
        log = {key: getattr(work, key).tolist() for key in ("submit", "need", "run", "estimate")}
        for policy, start in starts[name, TIES, LIMIT].items():
            key = f"schedule-{number}/{policy}"
            yield _row(
                id=key, origin="schedule", model="scheduling", problem=f"{name}: {policy}",
                parameters={"servers": work.servers, **log, "policy": policy, "ties": TIES, "limit": LIMIT},
                quantity="start of each job, in order of submission times of the list", symbol="starts",
                unit="units of time", value=" ".join(map(str, start.tolist())), apart="0",
                first="compiled simulator of events", second="plain program, written separately",
                command=_command(f"schedule-{number}"),
            )  # fmt: skip


def foreign_rows() -> Iterator[Row]:
    """Yield the values of other programs; not those that follow another rule than ours, nor words."""
    with FOREIGN.open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["status"] != "we differ" and row["quantity"] != "queue"]
    names: dict[str, int] = {}
    for row in rows:
        program = row["program"]
        names[program] = names.get(program, 0) + 1
        agree = row["status"] == "agrees"
        text = row["value"] if agree else row["ours"]
        value, apart = _of_others(text, Decimal(row["within"] or 0) if agree else WITHIN_OURS)
        kind = row["class"] and f"class {row['class']}"
        where = {key: row[key] for key in ("repository", "version", "file", "model", "station", "class") if row[key]}
        yield _row(
            id=f"foreign-{program.lower()}/{names[program]}", origin="foreign", model="foreign",
            problem=f"{program}: {row['model']}",
            parameters={"program": program, **where} | ({} if agree else {"their value": row["value"]}),
            quantity=" ".join(filter(None, (row["quantity"], row["station"], kind))),
            symbol=row["quantity"], unit="as in the model's file", value=value, apart=apart,
            first="mjq", second=program if agree else f"mjq, another way ({program} errs)",
            command=f"pytest tests/foreign -k \"{row['model'].split(',')[0]}\"",
        )  # fmt: skip


def _of_others(text, within):
    """Return the digits of another program's print that ours is known to share, and how far ours may be from it."""
    if " " in text:
        return text, "0"
    number = Decimal(text)
    if not within:
        return f"{number:f}", f"{Decimal(1).scaleb(number.as_tuple().exponent) / 2:.0e}".replace("e-0", "e-")
    apart = within * abs(number)
    for digits in range(12, 0, -1):
        here, *others = (rounded(value, digits) for value in (number, number - apart, number + apart))
        if all(other == here for other in others):
            return here, _shown(apart)
    return rounded(number, 1), _shown(apart)


def _shown(apart):
    return f"{apart:.0e}".replace("e-0", "e-") if apart < 1 else f"{apart:.0f}"


def made() -> list[Row]:
    """Return all rows."""
    return [row for key in PROBLEMS for row in of_problem(key)] + [*of_schedules(), *foreign_rows()]


def write(rows: list[Row], why: str, folder: Path = FOLDER) -> str:
    """Write the table and, if a value has changed, a line of the history; return what was done."""
    path = folder / "history.csv"
    with path.open(encoding="utf-8", newline="") as file:
        past = list(csv.DictReader(file))
    now, version = digest(rows), int(past[-1]["version"]) if past else 0
    changed = not past or past[-1]["digest"] != now
    if changed and not why:
        raise ValueError("values have changed: say why, as an argument in quotes")
    if changed:
        version += 1
        with path.open("a", encoding="utf-8", newline="") as file:
            today = datetime.now(UTC).date().isoformat()
            csv.writer(file, lineterminator="\n").writerow([version, today, now, len(rows), why])
    (folder / "values.json").write_text(as_json(rows, version), encoding="utf-8")
    return f"version {version}, {len(rows)} values, digest {now}: {'changed' if changed else 'as before'}"


if __name__ == "__main__":
    print(write(made(), " ".join(sys.argv[1:])))
