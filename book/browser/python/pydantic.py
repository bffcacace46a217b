"""In place of pydantic, which the browser's Python lacks: declarations hold values by name and check no types.

Forms check what goes in by the schema, and the library checks the constraints.
"""

import types
from typing import Annotated, Union, get_args, get_origin, get_type_hints

MISSING = object()


class FieldInfo:
    """What a declaration says of one of its names."""

    def __init__(self, default=MISSING, alias=None, description=None, **_):
        self.default = MISSING if default is ... else default
        self.alias, self.description, self.metadata = alias, description, ()

    def is_required(self):
        return self.default is MISSING


def Field(default=MISSING, **options):
    return FieldInfo(default, **options)


class Fields:
    """The fields of a class and those that it inherits, by name."""

    def __get__(self, _, owner):
        fields, hints = {}, get_type_hints(owner, include_extras=True)
        for part in reversed(owner.__mro__):
            for name in vars(part).get("__annotations__", {}):
                given = vars(part).get(name, MISSING)
                if name != "model_config":
                    fields[name] = given if isinstance(given, FieldInfo) else FieldInfo(given)
                    fields[name].metadata = getattr(hints[name], "__metadata__", ())
        return fields


class BaseModel:
    """Hold values by name; declarations inside of declarations are made of dictionaries."""

    model_fields = Fields()

    def __init__(self, **given):
        kinds = get_type_hints(type(self), include_extras=False)
        for name, field in type(self).model_fields.items():
            value = given.pop(field.alias or name, field.default)
            if value is MISSING:
                raise TypeError(f"{name} is missing")
            self.__dict__[name] = held(kinds[name], value)
        if given:
            raise TypeError(f"{', '.join(given)} is not known")

    def __init_subclass__(cls, **_):
        """Options of pydantic's own classes mean nothing here."""

    @classmethod
    def model_validate(cls, given):
        try:
            return cls(**given)
        except TypeError as error:
            raise ValueError(f"{cls.__name__}: {error}") from None

    def __repr__(self):
        return f"{type(self).__name__}({', '.join(f'{name}={x!r}' for name, x in vars(self).items())})"

    def __eq__(self, other):
        return type(self) is type(other) and vars(self) == vars(other)


def held(kind, value):
    """A value as its kind has it."""
    if get_origin(kind) is Annotated:
        return held(get_args(kind)[0], value)
    if get_origin(kind) in (Union, types.UnionType):
        for option in get_args(kind):
            if isinstance(option, type) and issubclass(option, BaseModel) and isinstance(value, dict):
                return held(option, value)
        return value
    if get_origin(kind) is list and isinstance(value, list):
        return [held(get_args(kind)[0], x) for x in value]
    if get_origin(kind) is dict and isinstance(value, dict):
        return {key: held(get_args(kind)[1], x) for key, x in value.items()}
    if isinstance(kind, type) and issubclass(kind, BaseModel) and isinstance(value, dict):
        return kind(**value)
    return value


class ValidationError(ValueError):
    """Nothing raises it here."""


class Strict:
    pass


class BeforeValidator:
    def __init__(self, function):
        self.function = function


def ConfigDict(**options):
    return options


def model_serializer(*_, **options):
    return lambda function: function


TypeAdapter = SerializerFunctionWrapHandler = object
