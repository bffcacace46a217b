"""Claims and commands: ``{claims} BB22`` lists what to run for a chapter, with boxes to tick.

They stand below the rows of its ledger: first the headlines, with the numbers that their commands print, then the
commands that check all rows. How many cells, values or tests these count is not said: it changes with the chapters, and
with the logs that a machine has. `tables.js` remembers what was ticked.
"""

from html import escape

from docutils import nodes
from mjqbook import note_tables
from sphinx.util.docutils import SphinxDirective

from mjq_book import published
from mjq_book.published import commands
from mjq_book.runs.readable import with_minus

FEW = 3  # rows of the ledger that are named beside a command


class Claims(SphinxDirective):
    """The headlines of a chapter and the commands that check its ledger."""

    required_arguments = 1

    def run(self):
        (key,) = self.arguments
        note_tables(self.env)
        own = [line for line in commands.headlines() if line.key == key]
        items = [
            item(f"{line.claim} <em>{named_rows(line.items)}</em>", line.command, printed(line.expected))
            for line in own
        ]
        checks = commands.checking(key)
        rest = [item(named(rows), command, no_failure(command), rows) for command, rows in checks.items()]
        summary = f"All {len(published.ledger(key))} rows of the ledger: {count(len(checks), 'command')}"
        text = f'<ul class="claims">{"".join(items)}</ul><details class="claims-fold"><summary>{summary}</summary>'
        text += compared(key)
        return [nodes.raw("", f'{text}<ul class="claims">{"".join(rest)}</ul></details>', format="html")]


def item(claim, command, outcome, rows=()):
    """A claim, its command, and what comes of it."""
    detail = f"<details><summary>which</summary>{named_rows(rows)}</details>" if len(rows) > FEW else ""
    return (
        f'<li><label><input type="checkbox" value="{escape(command)}"> <span>{claim}</span></label>{detail}'
        f"<pre>{escape(command)}</pre><p>{outcome}</p></li>"
    )


def printed(expected):
    """What the command of a headline prints."""
    return f"Prints <code>{escape(expected)}</code>."


def no_failure(command):
    """What is true of a command that checks rows of a ledger, on every machine."""
    return "No test fails." if command.startswith("pytest") else "No claim fails."


def compared(key):
    """How many numbers of a paper the chapter and its companion compare with ours."""
    if key not in published.PAPERS:
        return ""
    numbers = sum(row.kind in published.CAN_FAIL for row in published.printed(key.lower()))
    return f"<p>The chapter and its companion compare {count(numbers, 'printed number')} with ours.</p>" * (numbers > 0)


def named(rows):
    """Rows of the ledger, by name if they are few."""
    return f"{count(len(rows), 'row')} of the ledger" + (f": {named_rows(rows)}" if len(rows) <= FEW else "")


def named_rows(rows):
    """The names of rows, with true minus signs."""
    return escape(with_minus("; ".join(rows)))


def count(number, word):
    return f"{number} {word}{'' if number == 1 else 's'}"


def setup(app):
    app.add_directive("claims", Claims)
    return {"parallel_read_safe": True, "parallel_write_safe": True, "version": "1"}
