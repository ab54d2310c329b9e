"""What many have said, one to a line, in a bounded number of bytes (pure)."""

from collections.abc import Iterable

from chatd.tools.calls.truncate import truncated

# Of each line: the dash, the blank, and the end.
FRAME_BYTES = 3
# Of what was said in each, at least, unless it is shorter.
LINE_BYTES_MIN = 64


def listed(lines: Iterable[str], bytes_max: int) -> str:
    """One to a line. Each has its share of the room, and what short ones leave goes to the others.

    Where a share would be too small to say anything, the lines in the middle are left out.
    """
    lines = [line for line in lines if line]
    if not lines:
        return ""
    sizes = sorted(len(line.encode("utf-8", "replace")) + FRAME_BYTES for line in lines)
    left, level = bytes_max, 0
    for place, size in enumerate(sizes):
        level = left // (len(sizes) - place)
        if size > level:
            break
        left -= size
        level = max(level, size)
    most = max(LINE_BYTES_MIN, level - FRAME_BYTES)
    told = "\n".join(f"- {truncated(line, most)}" for line in lines)
    return truncated(told, bytes_max)
