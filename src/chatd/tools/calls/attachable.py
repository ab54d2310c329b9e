"""Which files a tool may hand to the chat: not empty, not too large, not too many, with a name (pure)."""

from chatd.kit.text import is_plain
from chatd.tools.tool import Attachment, ToolError

# Of one file, and of one call.
ATTACHMENT_BYTES_MAX = 10 * 1024 * 1024
ATTACHMENTS_MAX = 10
NAME_CHARACTERS_MAX = 255


def attachable(attachments: tuple[Attachment, ...]) -> tuple[Attachment, ...]:
    """The same. Raises ToolError, and then none of them is attached."""
    if len(attachments) > ATTACHMENTS_MAX:
        raise ToolError(
            f"Nothing was attached: a call can attach {ATTACHMENTS_MAX} files, and this one has "
            f"{len(attachments)}. Attach the rest with further calls."
        )
    for each in attachments:
        _check(each)
    return attachments


def is_nameable(name: str) -> bool:
    return 0 < len(name) <= NAME_CHARACTERS_MAX and is_plain(name)


def _check(file: Attachment) -> None:
    if not is_nameable(file.name):
        raise ToolError(
            f"Nothing was attached: a file has a name of 1 to {NAME_CHARACTERS_MAX} visible characters. "
            "Call it again with another name."
        )
    if not file.data:
        raise ToolError(f"Nothing was attached: {file.name} is empty.")
    if len(file.data) > ATTACHMENT_BYTES_MAX:
        raise too_large(file.name, len(file.data))


def too_large(name: str, size: int) -> ToolError:
    return ToolError(
        f"Nothing was attached: {name} has {size:,} bytes, and at most {ATTACHMENT_BYTES_MAX:,} can be "
        "attached. Attach a part of it, or compress it."
    )
