"""What commands begin with: an event loop, and for those of a server its settings."""

import asyncio
import os
from collections.abc import Coroutine, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from chatd.errors import ChatdError

if TYPE_CHECKING:
    from chatd.settings import Settings

T = TypeVar("T")


def settings_from(flags: Mapping[str, object]) -> "Settings":
    # Imported here: most commands only talk to a server, and need none of its settings.
    from chatd.settings import load  # noqa: PLC0415

    return load(flags=flags, environment=os.environ, directory=Path.cwd())


def run_loop(main: Coroutine[Any, Any, T]) -> T:
    """Of what ends several tasks at once, the first that a person can be told of is the reason."""
    try:
        return asyncio.run(main)
    except BaseExceptionGroup as group:
        # A pipe that nobody reads any more, as with `| head -1`, ends the program without a word.
        known, _ = group.split((ChatdError, BrokenPipeError))
        if known is None:
            raise
        raise _first(known) from group


def _first(group: BaseExceptionGroup[BaseException]) -> BaseException:
    error = group.exceptions[0]
    return _first(error) if isinstance(error, BaseExceptionGroup) else error


def run_server_loop(main: Coroutine[Any, Any, T]) -> T:
    """The quick one, which takes longer to import."""
    import uvloop  # noqa: PLC0415

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(main)
