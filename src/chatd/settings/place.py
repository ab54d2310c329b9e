"""Where the server of this machine is, for commands that talk to it: no more is read of the settings."""

from collections.abc import Mapping
from pathlib import Path

import msgspec
from msgspec import Struct

from chatd.settings.source import as_path
from chatd.settings.sources import default_data_dir, sources_of

PORT = 8787


class Place(Struct, frozen=True, kw_only=True):
    """As the settings of the server have them; a test compares."""

    data_dir: Path
    port: int = PORT
    admin_token: str | None = None


def read_place(*, flags: Mapping[str, object], environment: Mapping[str, str], directory: Path) -> Place:
    """Raises Misconfigured when a source cannot be read, or what it says of these is wrong."""
    values: dict[str, object] = {"data_dir": default_data_dir(environment)}
    for source in sources_of(flags, environment, directory):
        values |= {key: value for key, value in source.values.items() if key in Place.__struct_fields__}
    try:
        return msgspec.convert(values, Place, strict=False, dec_hook=as_path)
    except msgspec.ValidationError:
        # Which imports much, and says what is wrong and where it was found.
        from chatd.settings.loading import load  # noqa: PLC0415

        settings = load(flags=flags, environment=environment, directory=directory)
        return Place(data_dir=settings.data_dir, port=settings.port, admin_token=settings.admin_token)
