"""Shows the largest files and the longest functions under src/, so that growth is seen before it hurts."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

SOURCE = Path(__file__).resolve().parent.parent / "src"
SHOWN = 10

FUNCTION = (ast.FunctionDef, ast.AsyncFunctionDef)


def file_sizes() -> Iterator[tuple[int, str]]:
    for path in SOURCE.rglob("*.py"):
        yield len(path.read_text().splitlines()), _short(path)


def function_sizes() -> Iterator[tuple[int, str]]:
    for path in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(), path)):
            if isinstance(node, FUNCTION):
                yield _body_lines(node), f"{_short(path)}:{node.lineno} {node.name}"


def _body_lines(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Lines of the body without the docstring: words that explain are not what makes a function long."""
    body = function.body[1:] if ast.get_docstring(function) is not None else function.body
    if not body:
        return 0
    return (body[-1].end_lineno or body[-1].lineno) - body[0].lineno + 1


def _short(path: Path) -> str:
    return str(path.relative_to(SOURCE.parent))


def _show(title: str, sizes: Iterator[tuple[int, str]]) -> None:
    print(title)
    for lines, name in sorted(sizes, reverse=True)[:SHOWN]:
        print(f"{lines:6}  {name}")


def main() -> int:
    _show("Largest files, in lines", file_sizes())
    _show("Longest functions, in lines of their body", function_sizes())
    return 0


if __name__ == "__main__":
    sys.exit(main())
