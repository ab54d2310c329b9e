import subprocess
import sys
from pathlib import Path

import click
import pytest

import chatd as package
from chatd.catalog.mcp.config import Availability, Scope
from chatd.catalog.models.rows import ProviderType
from chatd.cli.flags.approvals import APPROVAL_SCOPES
from chatd.cli.flags.mcp import AVAILABILITIES, SCOPES
from chatd.cli.flags.models import TYPES
from chatd.cli.flags.options import EFFORTS
from chatd.cli.flags.rules import VERDICTS
from chatd.cli.lazy import unused_without_tls
from chatd.cli.main import COMMANDS as TABLE
from chatd.cli.main import commands
from chatd.domain.approvals.rule import ApprovalScope, Verdict
from chatd.domain.message import Effort
from tests.cli.program import chatd

COMMANDS = (
    "serve", "worker", "migrate", "link", "show", "doctor",
    "database backup", "database restore", "database move",
    "ls", "send", "watch", "interrupt", "title", "restore", "diff", "export", "import", "chat",
    "model ls", "model add", "model test", "model rm", "model key", "model forget-keys",
    "mcp ls", "mcp show", "mcp add", "mcp rm", "mcp test", "mcp connect", "mcp disconnect",
)  # fmt: skip

HEAVY = (
    "aiohttp",
    "prompt_toolkit",
    "rich",
    "asyncio",
    "msgspec",
    "sqlite3",
    "starlette",
    "structlog",
    "asyncpg",
    "uvicorn",
    "uvloop",
    "ssl",
    "logging",
)

LIST_MODULES = """
import sys
from chatd.cli.main import main
try:
    main()
except SystemExit:
    pass
print("MODULES", *sys.modules)
"""


def test_help_imports_almost_nothing() -> None:
    run = subprocess.run(
        [sys.executable, "-c", LIST_MODULES, "--help"], capture_output=True, text=True, check=True
    )

    imported = run.stdout.partition("MODULES")[2].split()
    assert [name for name in imported if name in HEAVY] == []
    assert {name for name in imported if name.startswith("chatd.")} == {
        "chatd.cli",
        "chatd.cli.lazy",
        "chatd.cli.main",
        "chatd.errors",
    }


START_OF_SERVE = """
import sys
from chatd.cli.flags import operate
load = operate.load
def only_load(*command, **how):
    load(*command, **how)
    print("MODULES", *sys.modules)
    sys.exit()
operate.load = only_load
operate.serve([])
"""


def test_a_server_imports_no_package_that_it_may_never_use() -> None:
    run = subprocess.run([sys.executable, "-c", START_OF_SERVE], capture_output=True, text=True, check=True)

    imported = run.stdout.partition("MODULES")[2].split()
    assert "chatd.app.serve" in imported
    unused = ("rich.console", "prompt_toolkit", "asyncpg", "cryptography", "mcp", "pydantic")
    assert [name for name in imported if name in unused] == []


def test_certificates_are_read_only_where_an_address_with_tls_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("CHATD_URL", raising=False)
    assert unused_without_tls(None) == unused_without_tls("http://127.0.0.1:1") == ("ssl",)
    assert unused_without_tls("https://chat.example.org") == ()

    monkeypatch.setenv("CHATD_URL", "https://chat.example.org")
    assert unused_without_tls(None) == ()
    assert unused_without_tls("http://127.0.0.1:1") == ("ssl",)


def test_help_lists_the_commands(tmp_path: Path) -> None:
    run = chatd(tmp_path, "--help")

    assert run.returncode == 0
    for command in COMMANDS:
        assert f"\n  {command.split()[0]} " in run.stdout


def test_what_a_command_does_is_told_to_the_end_of_the_sentence(tmp_path: Path) -> None:
    found = {name: commands.get_command(click.Context(commands), name) for name in TABLE}
    groups = [[name] for name, command in found.items() if isinstance(command, click.Group)]
    assert ["audit"] in groups
    for group in ([], *groups):
        listed = chatd(tmp_path, *group, "--help").stdout.partition("Commands:\n")[2].splitlines()

        assert [line for line in listed if line.endswith("...")] == []
        assert listed


def test_who_is_to_name_a_chat_is_told_where_to_find_it(tmp_path: Path) -> None:
    for command in ("show", "send", "watch", "interrupt", "title", "export", "chat"):
        assert "`chatd ls` lists" in chatd(tmp_path, command, "--help").stdout


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself(tmp_path: Path, command: str) -> None:
    run = chatd(tmp_path, *command.split(), "--help")

    assert run.returncode == 0
    assert "--data-dir" in run.stdout


def test_the_version_is_told(tmp_path: Path) -> None:
    assert chatd(tmp_path, "--version").stdout == f"chatd, version {package.__version__}\n"


@pytest.mark.parametrize(
    "arguments", [["nonsense"], ["serve", "--prot", "1"], ["serve", "--port", "x"], ["show"]]
)
def test_misuse_is_told_from_failure(tmp_path: Path, arguments: list[str]) -> None:
    run = chatd(tmp_path, *arguments)

    assert (run.returncode, run.stdout) == (2, "")
    assert "Traceback" not in run.stderr


def test_what_help_offers_is_all_that_there_is() -> None:
    """The tables are written twice, so that help needs neither of them."""
    assert sorted(TYPES) == sorted(ProviderType)
    assert list(EFFORTS) == list(Effort)
    assert sorted(SCOPES) == sorted(Scope)
    assert list(AVAILABILITIES) == list(Availability)
    assert list(APPROVAL_SCOPES) == list(ApprovalScope)
    assert list(VERDICTS) == list(Verdict)


@pytest.mark.parametrize("name", TABLE)
def test_the_table_says_of_a_command_what_its_own_help_says(name: str) -> None:
    """It is written twice, so that the list of commands imports none of them."""
    command = commands.get_command(click.Context(commands), name)

    assert command is not None
    assert command.name == name
    assert command.get_short_help_str(limit=80) == TABLE[name].help
