"""Whether somebody types as in vi, as their file for readline has it: for shells and all that use it."""

import os
import re
from pathlib import Path

_VI = re.compile(r"^\s*set\s+editing-mode\s+(\w+)", re.MULTILINE)
FILE_BYTES_MAX = 64 * 1024


def types_as_in_vi() -> bool:
    file = Path(os.environ.get("INPUTRC") or Path.home() / ".inputrc")
    try:
        with file.open(encoding="utf-8", errors="replace") as opened:
            modes = _VI.findall(opened.read(FILE_BYTES_MAX))
    except OSError:
        return False
    return bool(modes) and modes[-1] == "vi"
