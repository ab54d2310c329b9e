"""How much of a tool's output the model gets to read, and which part (pure).

A result may take a third of the context, at three bytes to a token. Of a longer one the beginning
and the end are kept, because that is where commands say what they did and why they failed.
"""

from collections.abc import Sequence

BYTES_MIN = 16 * 1024
# When the context limit is unknown.
BYTES_UNKNOWN = 64 * 1024
# No marker is longer.
MARKER_BYTES = 256
# Below this there is no room for two ends and a marker.
CUT_BYTES_MAX = 512

MARKER = "[... {left_out} of {size} bytes are left out here ...]"

_SHARE_OF_CONTEXT = 3
_BYTES_PER_TOKEN = 3


def result_bytes_max(context_limit: int) -> int:
    """The budget of one result, for a context of so many tokens; 0 or less is unknown."""
    if context_limit <= 0:
        return BYTES_UNKNOWN
    return max(BYTES_MIN, context_limit // _SHARE_OF_CONTEXT * _BYTES_PER_TOKEN)


def truncated(text: str, bytes_max: int, marker: str = MARKER) -> str:
    """The text in at most so many bytes of UTF-8, whole characters only. A budget of 0 is none.

    A `marker` of one's own tells where the rest is, in less than MARKER_BYTES.
    """
    # A character has at most four bytes: most texts need not be encoded to be measured.
    if bytes_max <= 0 or len(text) * 4 <= bytes_max:
        return text
    encoded = text.encode("utf-8")
    if len(encoded) <= bytes_max:
        return text
    if bytes_max <= CUT_BYTES_MAX:
        return _whole_characters(encoded[:bytes_max])
    kept = bytes_max - MARKER_BYTES
    head = _whole_characters(encoded[: kept * 2 // 3])
    tail = _whole_characters(encoded[-(kept - kept * 2 // 3) :])
    left_out = len(encoded) - len(head.encode("utf-8")) - len(tail.encode("utf-8"))
    return f"{head}\n\n{marker.format(left_out=left_out, size=len(encoded))}\n\n{tail}"


def common_level(sizes: Sequence[int], total: int) -> int:
    """The highest level at which sizes that are cut to it have no more than this total."""
    left, rest = max(0, total), len(sizes)
    for size in sorted(sizes):
        if size * rest > left:
            return left // rest
        left -= size
        rest -= 1
    return max(sizes)


def _whole_characters(encoded: bytes) -> str:
    """Without the halves of characters at either end."""
    return encoded.decode("utf-8", errors="ignore")
