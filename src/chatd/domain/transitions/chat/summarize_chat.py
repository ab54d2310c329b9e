"""The chat gets a new summary, for people who look for it in a list. Its history stays as it is."""

from msgspec import Struct

from chatd.domain.decision.change import Change, Details
from chatd.domain.decision.locked import LockedChat
from chatd.domain.profile.texts import SUMMARY_LENGTH_MAX


class SummarizeChat(Struct, frozen=True, kw_only=True):
    summary: str


def summarize_chat(_: LockedChat, command: SummarizeChat) -> Change:
    assert 0 < len(command.summary) <= SUMMARY_LENGTH_MAX, "summaries that do not fit are refused before"
    return Change(details=Details(summary=command.summary))
