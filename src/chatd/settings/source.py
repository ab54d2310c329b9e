"""Some settings from one place, as they were written there."""

from collections.abc import Callable, Mapping
from pathlib import Path

from msgspec import Struct


class Source(Struct, frozen=True):
    """Some settings, and where they were found, in words."""

    found_in: str
    values: Mapping[str, object]
    # How a setting is written there.
    spell: Callable[[str], str] = str
    # In a file a number is a number; elsewhere everything is text.
    typed: bool = False


def as_path(type_: type, value: object) -> Path:
    assert type_ is Path
    if isinstance(value, Path):
        return value.absolute()
    if not isinstance(value, str) or not value or "\0" in value:
        raise ValueError("not a path")
    try:
        # Absolute: git and sandboxes are started in other directories.
        return Path(value).expanduser().absolute()
    except RuntimeError as error:
        raise ValueError("there is no user with this home directory") from error
