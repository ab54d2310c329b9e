"""The settings of a server: from all sources, and each of them checked."""

from collections.abc import Mapping
from pathlib import Path

import msgspec

from chatd.settings.checks import checked
from chatd.settings.source import as_path
from chatd.settings.sources import default_data_dir, sources_of
from chatd.settings.values import Settings


def load(*, flags: Mapping[str, object], environment: Mapping[str, str], directory: Path) -> Settings:
    """The settings of this process. Raises Misconfigured with what is wrong, and where it was found."""
    values: dict[str, object] = {"data_dir": default_data_dir(environment)}
    for source in sources_of(flags, environment, directory):
        values |= {key: checked(source, key, value) for key, value in source.values.items()}
    return msgspec.convert(values, Settings, dec_hook=as_path)
