"""The names of errors that nothing raises here."""


class PanicException(Exception):
    pass


class PolarsError(Exception):
    pass
