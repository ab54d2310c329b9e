"""What every command begins with: the settings of this process, and an event loop."""

import asyncio
import os
from collections.abc import Coroutine, Mapping
from pathlib import Path
from typing import Any, TypeVar

import uvloop

from chatd.settings import Settings, load

T = TypeVar("T")


def settings_from(flags: Mapping[str, object]) -> Settings:
    return load(flags=flags, environment=os.environ, directory=Path.cwd())


def run_loop(main: Coroutine[Any, Any, T]) -> T:
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(main)
