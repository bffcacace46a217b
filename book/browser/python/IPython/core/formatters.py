"""What is kept for sentences of the book is not shown in a browser."""


def format_display_data(value):
    return {"text/plain": repr(value)}, {}
