"""Commands that are imported when they are called, so that `chatd --help` and each command start quickly."""

import gc
import importlib
import os
import sys
from collections.abc import Callable, Iterable, Mapping
from keyword import iskeyword
from typing import Any, NamedTuple

import click

# As a shell has it for whatever a closed pipe has ended. click would end with 1, as if it was refused.
UNREAD = 141


class Listed(NamedTuple):
    """A command before it is imported: the module in `cli/flags/` that has it, and its line in the help."""

    module: str
    help: str


class LazyGroup(click.Group):
    """A group that knows its commands from a table alone."""

    def __init__(self, *args: Any, table: Mapping[str, Listed], **options: Any) -> None:
        super().__init__(*args, **options)
        self._table = table

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - as click calls it
        return sorted(self._table)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        listed = self._table.get(cmd_name)
        if listed is None:
            return None
        module = importlib.import_module(f"chatd.cli.flags.{listed.module}")
        # A function cannot be called `import`: that one is `import_`.
        found: click.Command = getattr(module, f"{cmd_name}_" if iskeyword(cmd_name) else cmd_name)
        return found

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            # Nobody reads any more, as with `| head -1`. Nor what Python would write at its end.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.__stdout__.fileno() if sys.__stdout__ else 1)
            sys.exit(UNREAD)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, self._table[name].help) for name in self.list_commands(ctx)])


def load(command: str, deed: str = "run", *, without: Iterable[str] = ()) -> Callable[..., Any]:
    """What a command does: a function in one of the folders of `cli/`.

    Modules stay, so the garbage collector finds nothing in them: it took a tenth of the time to import
    a server. `without` are packages that the command does not use, and that others import if they are there.
    """
    sys.modules.update(dict.fromkeys(without))  # type: ignore[arg-type]  # None: as if it was not installed
    gc.disable()
    try:
        module = importlib.import_module(f"chatd.cli.{command}")
    finally:
        gc.enable()
    run: Callable[..., Any] = getattr(module, deed)
    return run


def unused_without_tls(url: object) -> tuple[str, ...]:
    """What a command that talks to a server does not need, where no address with TLS was named.

    With `ssl`, aiohttp reads all certificates of the machine when it is imported: a tenth of the start.
    """
    named = str(url or os.environ.get("CHATD_URL") or "")
    return () if named.startswith("https:") else ("ssl",)
