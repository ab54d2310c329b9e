"""Settings: one frozen struct, read once, passed down as plain values.

A flag wins over an environment variable, which wins over `chatd.toml`, which wins over the
default. An unknown key is refused: the operator expects it to have an effect.

A `chatd.toml` counts where only the user can have put it. The current directory may be a repository that
others wrote, so the one in there has to be named.

What is imported from here is imported when it is asked for: `place.py` is enough for most commands.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from chatd.settings.loading import load
    from chatd.settings.sources import CONFIG_VARIABLE, injected_variables, settings_files, stray_file
    from chatd.settings.spelling import PREFIX
    from chatd.settings.values import (
        FILE_ONLY,
        FLAGS,
        RULES_DECLARED_MAX,
        Approvals,
        LogFormat,
        LogLevel,
        Settings,
    )

__all__ = [
    "CONFIG_VARIABLE",
    "FILE_ONLY",
    "FLAGS",
    "PREFIX",
    "RULES_DECLARED_MAX",
    "Approvals",
    "LogFormat",
    "LogLevel",
    "Settings",
    "injected_variables",
    "load",
    "settings_files",
    "stray_file",
]

_SOURCES = ("CONFIG_VARIABLE", "injected_variables", "settings_files", "stray_file")
_MODULES = {"load": "loading", "PREFIX": "spelling", **dict.fromkeys(_SOURCES, "sources")}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"chatd.settings.{_MODULES.get(name, 'values')}"), name)
