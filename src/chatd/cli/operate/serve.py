"""chatd serve and chatd worker: run a server, or one that only drives chats."""

import os
import sys
from collections.abc import Mapping
from pathlib import Path

import click
import structlog

from chatd.app.serve import serve as run_server
from chatd.cli.context import run_server_loop, settings_from
from chatd.errors import Unavailable
from chatd.kit import log
from chatd.kit.process.allocator import give_memory_back
from chatd.kit.process.garbage import settle_down
from chatd.kit.process.open_files import allow_open_files
from chatd.kit.process.privacy import keep_to_ourselves
from chatd.settings import LogFormat, Settings, injected_variables, settings_files, stray_file


def run(flags: Mapping[str, object], *, only_works: bool = False) -> None:
    give_memory_back()
    keep_to_ourselves()
    allow_open_files()
    settings = settings_from(flags)
    log.set_up(level=settings.log_level, pretty=_pretty(settings), expected=(Unavailable,))
    _say_what_is_ignored(settings, flags)
    files = settings_files(flags=flags, environment=os.environ, directory=Path.cwd())
    run_server_loop(run_server(settings, ready=_announce, settings_files=files, only_works=only_works))


def _pretty(settings: Settings) -> bool:
    if settings.log_format is LogFormat.AUTO:
        return sys.stderr.isatty()
    return settings.log_format is LogFormat.PRETTY


def _say_what_is_ignored(settings: Settings, flags: Mapping[str, object]) -> None:
    stray = stray_file(settings.data_dir, flags=flags, environment=os.environ, directory=Path.cwd())
    if stray is not None:
        hint = f"It may have come with a repository. If it is yours, start with --config {stray.name}."
        structlog.get_logger().warning("settings.ignored", file=str(stray), hint=hint)
    if injected := injected_variables(os.environ):
        hint = "Kubernetes has set them for a Service of this name; they are no settings."
        structlog.get_logger().info("settings.ignored", variables=injected, hint=hint)


def _announce(address: str, token_place: str, workspace: str | None, link: str | None) -> None:
    """A line for scripts that wait for it, and one with the link; people are told a little more."""
    click.echo(f"chatd ready at {address}")
    if link is not None:
        click.echo(f"Sign in with a browser, once and within 10 minutes: {link}")
    if sys.stdout.isatty():
        click.echo(f"The administrator's token is {token_place}.")
        if workspace is not None:
            click.echo(workspace)
    # A script that waits for this line reads from a pipe, and that is buffered.
    sys.stdout.flush()
    # Only now: it takes as long as a tenth of the start.
    settle_down()
