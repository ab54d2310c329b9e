"""Structured logging: an event's name and its values, pretty in a terminal and JSON elsewhere.

Everything goes to the standard error, so that the standard output stays for what a program says.
"""

import json
import logging
import sys
import time
from collections.abc import Callable
from typing import TextIO

import msgspec
import structlog
from structlog.typing import EventDict, Processor, WrappedLogger

SILENCE_SECONDS = 60.0


def set_up(
    *,
    level: str,
    pretty: bool,
    stream: TextIO = sys.stderr,
    expected: tuple[type[BaseException], ...] = (),
) -> None:
    """Called once, by the entry point of the process.

    Errors that are `expected` are no mistakes of ours: of them the sentence is logged, and no traceback, and
    that at most once a minute for each event.
    """
    threshold = logging.getLevelNamesMapping()[level.upper()]
    shared: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        _Expected(expected),
    ]
    ending = _ending(pretty=pretty)
    structlog.configure(
        processors=[*shared, *ending],
        wrapper_class=structlog.make_filtering_bound_logger(threshold),
        # One write for each line: a print makes two.
        logger_factory=structlog.WriteLoggerFactory(file=stream),
    )
    _adopt_standard_logging(shared, ending, threshold, stream)


class _Expected:
    """Of an expected error the sentence is logged, and each event with one only once in a while.

    What goes wrong every second for the same reason says nothing new, and hides what does.
    """

    def __init__(self, errors: tuple[type[BaseException], ...]) -> None:
        self._errors = errors
        # By event: their names are written in the code, so there are not many.
        self._logged_at: dict[str, float] = {}

    def __call__(self, _: WrappedLogger, __: str, line: EventDict) -> EventDict:
        error = sys.exc_info()[1] if line.get("exc_info") is True else None
        if not isinstance(error, self._errors):
            return line
        now = time.monotonic()
        if now - self._logged_at.get(line["event"], -SILENCE_SECONDS) < SILENCE_SECONDS:
            raise structlog.DropEvent
        self._logged_at[line["event"]] = now
        del line["exc_info"]
        line.setdefault("error", str(error))
        line.setdefault("kind", type(error).__name__)
        return line


def _ending(*, pretty: bool) -> list[Processor]:
    if pretty:
        # The plain traceback: a prettier one would show variables, and so what people said.
        return [structlog.dev.ConsoleRenderer(exception_formatter=structlog.dev.plain_traceback)]
    return [structlog.processors.format_exc_info, structlog.processors.JSONRenderer(serializer=_as_json)]


def _as_json(line: EventDict, *, default: Callable[[object], object]) -> str:
    """Quicker than the standard library, which takes over where a text is no valid Unicode."""
    try:
        return msgspec.json.encode(line, enc_hook=default).decode()
    except (UnicodeEncodeError, TypeError):
        return json.dumps(line, default=default)


def _adopt_standard_logging(
    shared: list[Processor], ending: list[Processor], threshold: int, stream: TextIO
) -> None:
    """Libraries that use the standard logging module look like ours."""
    handler = logging.StreamHandler(stream)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, *ending],
        )
    )
    # What a library does in the ordinary course of things is not news to the operator.
    logging.basicConfig(handlers=[handler], level=max(threshold, logging.WARNING), force=True)
