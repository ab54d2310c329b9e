"""A model has found a title for the chat. It replaces the one that it was made to replace, and no other."""

from msgspec import Struct

from chatd.domain.decision.change import Change, Details
from chatd.domain.decision.locked import LockedChat
from chatd.domain.profile.texts import GENERATED_TITLE_LENGTH_MAX, TitleBy
from chatd.errors import NotAllowed


class NameChat(Struct, frozen=True, kw_only=True):
    title: str
    # The title as it was when the model was asked, and who had chosen it.
    instead_of: str
    chosen_by: TitleBy


def name_chat(locked: LockedChat, command: NameChat) -> Change:
    assert len(command.title) <= GENERATED_TITLE_LENGTH_MAX, "generated titles are cut before they are kept"
    chat = locked.chat
    if (chat.title, chat.title_by) != (command.instead_of, command.chosen_by):
        raise NotAllowed(
            "renamed",
            "The chat was renamed while the model thought of a title, and keeps its new name.",
            hint="Ask again for a title if you want another one.",
        )
    return Change(details=Details(title=command.title, title_by=TitleBy.MODEL))
