"""Show values beneath a cell."""

shown = []  # what was shown, until the runner takes it


class Markdown:
    """A text with marks, as a table has it."""

    def __init__(self, data=None):
        self.data = data


def display(*values, raw=False, **_):
    if not raw:  # what is raw belongs to sentences of the book
        shown.extend(values)
