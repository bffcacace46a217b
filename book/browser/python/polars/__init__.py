"""In place of polars, which no browser has: modules that read tables can be imported, and fail when they read one."""


class Absent:
    """Whatever a module asks of polars when it is imported."""

    def __init__(self, name):
        self.name = name

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Absent(f"{self.name}.{name}")

    def __call__(self, *values, **options):
        if self.name in {"polars.Schema", "polars.DataFrame"} and options.keys() <= {"schema"} and len(values) <= 1:
            return self  # a constant of a module
        raise ModuleNotFoundError(f"{self.name} is not here: tables cannot be read or made in a browser")

    def __or__(self, other):
        return self

    __ror__ = __or__


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    return Absent(f"polars.{name}")
