"""A system prompt that would leave no room for the chat, with less of what may be shortened (pure).

The words of the deployment stay as they are, and so do ours. What users and callers of the API want to be
said loses its middle, the longest first. The files of a workspace are shortened where they are put together.
"""

from collections.abc import Sequence

from chatd.tools.calls.truncate import common_level, truncated

# Of the context of a model, for all parts together; a token has about three bytes. The rest is for the tools,
# for what is said, and for the reply.
SHARE_PERCENT = 40
BYTES_PER_TOKEN = 3
# No part is made shorter than this.
FLOOR_BYTES = 1024
NOTICE = "[... {left_out} of {size} bytes of these instructions are left out: there is no room for them ...]"


def fitting(fixed: Sequence[str], shortenable: Sequence[str], context_limit: int) -> tuple[str, ...]:
    """The texts that may be shortened, in what the others leave of the share. A limit of 0 is unknown."""
    budget = context_limit * SHARE_PERCENT * BYTES_PER_TOKEN // 100 - sum(map(_size, fixed))
    sizes = [_size(text) for text in shortenable]
    if context_limit <= 0 or sum(sizes) <= budget:
        return tuple(shortenable)
    level = max(FLOOR_BYTES, common_level(sizes, budget))
    return tuple(truncated(text, level, NOTICE) for text in shortenable)


def _size(text: str) -> int:
    return len(text.encode("utf-8", "replace"))
