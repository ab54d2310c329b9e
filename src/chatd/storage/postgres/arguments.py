"""The arguments of a statement that becomes a part of another one."""

import re

_ARGUMENT = re.compile(r"\$(\d+)")


def count_of_arguments(sql: str) -> int:
    return max(int(number) for number in _ARGUMENT.findall(sql))


def shifted(sql: str, count: int) -> str:
    """The same, with its arguments after so many others."""
    return _ARGUMENT.sub(lambda match: f"${int(match[1]) + count}", sql)
