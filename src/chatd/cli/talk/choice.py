"""What the user chose for the chat when they called us."""

from msgspec import UNSET, Struct, UnsetType


class Choice(Struct, frozen=True, kw_only=True):
    model: str | None
    effort: str | None = None
    workspace: str | UnsetType = UNSET
    plan: bool = False
    # Go on in the newest chat.
    newest: bool = False
