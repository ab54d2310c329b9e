"""What models call the tools of servers (pure).

A name follows from what is configured and declared, and not from which server happens to answer: a rule that
allows a name must not mean another tool tomorrow.
"""

import re
from collections.abc import Iterable, Sequence

NAME_CHARACTERS_MAX = 64
BETWEEN = "__"

_NOT_ALLOWED = re.compile(r"[^A-Za-z0-9_-]")


def cleaned(text: str) -> str:
    """With what all providers allow in the name of a tool."""
    return _NOT_ALLOWED.sub("_", text)


def tool_name(slug: str, tool: str) -> str:
    return f"{cleaned(slug)}{BETWEEN}{cleaned(tool)}"[:NAME_CHARACTERS_MAX]


def distinct(names: Iterable[str], taken: Iterable[str] = ()) -> Sequence[str]:
    """Each name once: of those that are the same, the second gets _2, the third _3."""
    used = set(taken)
    result = []
    for name in names:
        number, free = 1, name
        while free in used:
            number += 1
            ending = f"_{number}"
            free = name[: NAME_CHARACTERS_MAX - len(ending)] + ending
        used.add(free)
        result.append(free)
    return result
