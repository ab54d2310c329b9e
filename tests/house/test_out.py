"""Commands print through `cli/out.py` and `talk/drawing/screen.py`, which drop what a terminal would obey."""

import ast
from collections.abc import Iterator

from tests.house.repository import SOURCE, name_of

COMMANDS = SOURCE / "cli"
DOORS = {COMMANDS / "out.py", COMMANDS / "talk" / "drawing" / "screen.py"}
# It says nothing but its own address, and where its token is.
SERVE = COMMANDS / "operate" / "serve.py"

# `sys.stdout.isatty()` and the like print nothing.
PRINTS = {"click.echo", "click.secho", "print", "Console", "rich.print"}
WRITES = {"write", "writelines"}


def calls(tree: ast.AST) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            yield node.lineno, ast.unparse(node.func)


def is_printing(name: str) -> bool:
    return name in PRINTS or (
        name.startswith(("sys.stdout.", "sys.stderr.")) and name.rpartition(".")[2] in WRITES
    )


def test_no_command_prints_past_the_doors() -> None:
    strangers = [
        f"{name_of(path)}:{line} calls {name}"
        for path in sorted(COMMANDS.rglob("*.py"))
        if path not in {*DOORS, SERVE}
        for line, name in calls(ast.parse(path.read_text(encoding="utf-8"), path))
        if is_printing(name)
    ]

    assert not strangers, "Print with `say`, `say_aside` or `say_json` of cli/out.py: " + "; ".join(strangers)


def test_printing_is_recognised() -> None:
    """Were the names wrong, the test above would pass for no reason."""
    source = "click.echo('a'); print('b'); sys.stdout.buffer.write(b'c'); sys.stdout.isatty()"
    named = [name for _, name in calls(ast.parse(source))]

    assert [name for name in named if is_printing(name)] == ["click.echo", "print", "sys.stdout.buffer.write"]
