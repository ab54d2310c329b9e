"""Structured logging: an event's name and its values, pretty in a terminal and JSON elsewhere.

Everything goes to the standard error, so that the standard output stays for what a program says.
"""

import logging
import sys
from typing import TextIO

import structlog
from structlog.typing import Processor


def set_up(*, level: str, pretty: bool, stream: TextIO = sys.stderr) -> None:
    """Called once, by whoever owns the process."""
    threshold = logging.getLevelNamesMapping()[level.upper()]
    shared: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    ending = _ending(pretty=pretty)
    structlog.configure(
        processors=[*shared, *ending],
        wrapper_class=structlog.make_filtering_bound_logger(threshold),
        logger_factory=structlog.PrintLoggerFactory(file=stream),
    )
    _adopt_standard_logging(shared, ending, threshold, stream)


def _ending(*, pretty: bool) -> list[Processor]:
    if pretty:
        # The plain traceback: a prettier one would show variables, and so what people said.
        return [structlog.dev.ConsoleRenderer(exception_formatter=structlog.dev.plain_traceback)]
    return [structlog.processors.format_exc_info, structlog.processors.JSONRenderer()]


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
