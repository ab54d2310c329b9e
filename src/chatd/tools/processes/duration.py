"""Durations as models write them: `30s`, `5m`, `1m30s` (pure)."""

import re

from chatd.tools.tool import ToolError

_PARTS = re.compile(r"(?P<number>\d{1,9}(?:\.\d{1,9})?)(?P<unit>ms|s|m|h)")
_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}


def seconds_of(name: str, text: str, *, seconds_max: float) -> float:
    """Raises ToolError that names the argument and what was written."""
    matches = list(_PARTS.finditer(text.strip()))
    if not matches or "".join(match[0] for match in matches) != text.strip():
        raise ToolError(f"{name} is {text!r}, which is no duration. Write it like 30s, 5m or 1m30s.")
    seconds = sum(float(match["number"]) * _SECONDS[match["unit"]] for match in matches)
    if seconds > seconds_max:
        raise ToolError(
            f"{name} is {text!r}, and at most {seconds_max:g} seconds are possible. A process runs on after "
            "it: wait again with process_output."
        )
    return seconds
