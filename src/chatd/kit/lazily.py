"""Packages that are imported when something of them is first used.

For those that take long to import, or much memory, and that many a server needs late or never. What has to be
known of them before, such as a base class or an annotation, imports them at once: it goes into a function, a
string, or a file that is imported lazily itself.
"""

import sys
from importlib import import_module
from types import ModuleType
from typing import Any


class _Lazily(ModuleType):
    def __getattr__(self, name: str) -> Any:
        found = getattr(import_module(self.__name__), name)
        # From now on it is found without us.
        setattr(self, name, found)
        return found


def lazily(name: str) -> Any:
    """The module of this name, or what stands for it until then."""
    return sys.modules.get(name) or _Lazily(name)
