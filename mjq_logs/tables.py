"""What a question answers, for people: sentences and tables, whose cells are text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from mjq._util.plain import counted
from mjq_logs import intervals
from mjq_logs.answers import Column, Interval, Plain, columns_of
from mjq_logs.reading.clock import as_date, local
from mjq_logs.reading.facts import Facts, held_in_words
from mjq_logs.reading.log import Lines, Log, machine_in_words
from mjq_logs.reading.window import window_in_words
from mjq_logs.words import LARGE, listed, name_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from matplotlib.axes import Axes

MINUTE = 1 / 60  # hours
UNITS = (48.0, "d", 1 / 24), (1.0, "h", 1.0), (1 / 60, "min", 60.0), (0.0, "s", 3600.0)  # from so many hours on


class Table(NamedTuple):
    """Hold a table whose cells are text; what is not known is None."""

    title: str
    head: list[str]
    rows: list[tuple[str | None, ...]]


class Chart(NamedTuple):
    """Hold what draws on axes, and a sentence that says what the chart shows."""

    caption: str
    draw: Callable[[Axes], None]


class Answer(NamedTuple):
    """Hold what a command answers, in the order in which it is read."""

    warnings: Sequence[str]
    """How the answer must not be read."""
    about: Sequence[str]
    """Of which log it is, and what is odd about that log."""
    sentences: Sequence[str]
    table: Table | None
    more: Mapping[str, Sequence[str | Table]]
    """Further parts, by what they say, which complete the sentence "--full adds ..."."""
    title: str
    """Of a page."""
    charts: Sequence[Chart]
    """On a page, between the sentences and the tables."""

    def parts(self, full: bool = True) -> list[str | Table]:
        """Return its paragraphs and tables, with those that only ``--full`` shows, or with a line that names them."""
        first = ["\n".join(lines) for lines in (self.warnings, self.about, self.sentences) if lines]
        rest = [part for parts in self.more.values() for part in parts] if full else []
        last = [f"--full adds {listed(self.more)}."] if self.more and not full else []
        return [*first, *([self.table] if self.table else []), *rest, *last]


def answer(
    path: str,
    facts: Facts,
    warnings: Sequence[str],
    sentences: Sequence[str],
    table: Table | None,
    more: Mapping[str, Sequence[str | Table]],
    notes: Sequence[str] = (),
    title: str = "",
    charts: Sequence[Chart] = (),
) -> Answer:
    """Return what a command answers from a log; further parts that are empty are left out."""
    log = facts.log
    seen, held = window_in_words(facts.window), held_in_words(facts.held, log.servers)
    of_log = [seen, held, *(note for note in notes if note not in log.notes)]
    how_read = [lines_used(log.lines) if log.lines else "", "\n".join(filter(None, dict.fromkeys(of_log)))]
    rest = {"how the log was read": list(filter(None, how_read)), **more}
    known = {name: parts for name, parts in rest.items() if parts}
    new = [sentence for sentence in sentences if sentence not in warnings]
    return Answer(warnings, [of_which_log(path, log), *log.notes], new, table, known, title, charts)


def lines_used(lines: Lines) -> str:
    """Return how many lines of a file were used, and why others were not, with the first lines of each reason."""
    reasons = (
        f"\n  {count} not used: {reason} (line{'s' * (count > 1)} {', '.join(map(str, lines.first[reason]))}"
        f"{', …' * (count > len(lines.first[reason]))})"
        for reason, count in lines.dropped.items()
    )
    return f"{counted(lines.read, 'line')} read, {lines.used} used" + "".join(reasons)


def table(
    title: str,
    rows: Sequence[Plain | Any],
    *more: tuple[Column, Sequence],
    names: tuple[str, Iterable[str]] | None = None,
    **words: Any,
) -> Table:
    """Return a table of answers of one class: their columns, and more columns with their values; no empty ones.

    Parameters
    ----------
    title : str
    rows : sequence
        The first one is an answer; others may be of any class that has some of its fields.
    *more : tuple of Column and sequence
        What the answers do not hold.
    names : tuple of str and iterable of str, optional
        Of the rows, under a heading: the first column.
    **words
        What the headings name, such as the percentile of waits.

    Examples
    --------
    >>> from mjq_logs.answers import Waits
    >>> from mjq_logs.questions.waits import AtLoad
    >>> waits = Waits(mean=Interval(value=1.2345, low=1, high=2), percentile=Interval(value=2, low=None, high=None))
    >>> made = table("Waits", [AtLoad(growth=1, load=0.571, waits=waits)], percentile=90)
    >>> made.head[2:], made.rows
    (['mean\\nwait [h]', '90 % wait\\nat most [h]'], [('1', '57.1', '1.23 (1 to 2)', '2')])
    """
    given = [(Column(names[0]), names[1])] if names else []
    columns = [(column, [_cell(column, value) for value in values]) for column, values in (*given, *more)]
    columns[len(given) : len(given)] = [
        (column, [_cell(column, *(_part(row, path) for path in _paths(column))) for row in rows])
        for column in (columns_of(type(rows[0])) if rows else ())
    ]
    known = [(column, cells) for column, cells in columns if any(cell is not None for cell in cells)]
    head = [column.heading.format(**words) + (f" [{column.unit}]" if column.unit else "") for column, _ in known]
    return Table(title, head, [*zip(*(cells for _, cells in known), strict=True)])


def _paths(column):
    """Return where the value of a column stands, and the ends of its interval beside it."""
    parent = column.of.rpartition(".")[0]
    return [column.of, *(f"{parent}.{end}".strip(".") for end in column.ends or ())]


def _part(row, path):
    for name in path.split("."):
        row = getattr(row, name, None)
    return row


def _cell(column, value, low=None, high=None):
    """Return a value as text, with the ends of its interval where these say something; None where it is not known.

    >>> wait = Column("wait", "h")
    >>> _cell(wait, Interval(value=2, low=1.5, high=13.70)), _cell(wait, Interval(value=0.01, low=0.005, high=0.02))
    ('2 (1.5 to 13.7)', '0.01')
    >>> _cell(Column("share", "%", ".1f"), 0.5, 0.41, 0.62), _cell(Column("saved", "h", sure=True), 1, -1, 3)
    ('50.0 (41.0 to 62.0)', None)
    """
    if isinstance(value, Interval):
        value, low, high = value.value, value.low, value.high
    if value is None or isinstance(value, str):
        return value
    if column.form == "time":
        return brief_time(value)
    if isinstance(value, dict):
        return ", ".join(f"{name_of(name)} {_cell(column, part)}" for name, part in value.items())
    if isinstance(value, list):
        return listed(name_of(name) for name in value) if value else "nothing"
    known = low is not None and high is not None
    if column.sure and (not known or low <= 0 <= high):
        return None
    times = (100 if column.unit == "%" else 1) / column.per
    number = _number(times * value, column.form)
    if not known or not low < high or not intervals.tells(low, high, MINUTE if column.unit == "h" else 0.0):
        return number
    return f"{number} ({_number(times * low, column.form)} to {_number(times * high, column.form)})"


def brief_time(hours: float) -> str:
    """Return a time in the unit that suits it.

    >>> [brief_time(hours) for hours in (0, 0.01, 0.5, 3.25, 100)]
    ['0 s', '36 s', '30 min', '3.2 h', '4.2 d']
    """
    least, unit, factor = next(row for row in UNITS if hours >= row[0])
    value = hours * factor
    return f"{value:.0f} {unit}" if unit == "s" or value >= 10 else f"{value:.2g} {unit}"


def _number(x, form):
    """Return a number in its format; by default in three digits, or as a whole number where that is not much longer."""
    return format(round(x) if form == "d" else x, form or (".0f" if 1000 <= abs(x) < LARGE else ".3g"))


def dates(log: Log) -> str:
    """Return the days on which the window of a log begins and ends by its file, or how many days it lasts."""
    if log.arrival is None:
        return ""
    first, last = local(log, [log.begin, log.end]).tolist()
    if log.clock is None:
        return f"{(last - first) / 86_400:.3g} days"
    return f"{as_date(first, '%Y-%m-%d')} to {as_date(last, '%Y-%m-%d')} {log.zone}".rstrip()


def of_which_log(path: str, log: Log) -> str:
    """Return which log an answer is about, and of what machine and time."""
    name = "standard input" if path == "-" else Path(path).name
    jobs = counted(len(log), "job")
    if log.lines and (lost := log.lines.read - log.lines.used):
        jobs += f" ({lost} of {log.lines.read} lines not used)"
    machine = "" if log.servers is None else f" on {machine_in_words(log)} ({log.servers_from})"
    return " · ".join(part for part in (name, f"{jobs}{machine}", dates(log)) if part)
