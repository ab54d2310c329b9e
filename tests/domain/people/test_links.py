"""What of a public link is a rule: what widens it, and what was in the history when it was made."""

import pytest
from msgspec.structs import replace

from chatd.domain.ids import BranchId, ChatId, MessageId, Micros, UserId
from chatd.domain.people.links import Included, LineOfHistory, PublicLink, UpTo, widens
from chatd.domain.transitions.messages.edit_message import EditMessage
from chatd.domain.transitions.messages.switch_branch import SwitchBranch
from chatd.domain.transitions.turns.finish_turn import FinishTurn
from tests.domain.chats import idle
from tests.support.model import ModelChat
from tests.words import said, says, send, step, words_of

ALL = 2**63 - 1
LINK = PublicLink(
    id="link",
    chat_id=ChatId("chat"),
    made_by=UserId("owner"),
    made_at=Micros(1),
    expires_at=Micros(10),
    include=frozenset({Included.TOOLS}),
    up_to=UpTo(MessageId(5), BranchId(1)),
)
# By whether guests see more.
CHANGES = {
    "nothing": (LINK, False),
    "less is shown": (replace(LINK, include=frozenset()), False),
    "more is shown": (replace(LINK, include=frozenset({Included.TOOLS, Included.FILES})), True),
    "something else is shown": (replace(LINK, include=frozenset({Included.REASONING})), True),
    "it ends earlier": (replace(LINK, expires_at=Micros(9)), False),
    "it ends later": (replace(LINK, expires_at=Micros(11)), True),
    "it follows on": (replace(LINK, up_to=None), True),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_widens_a_link_if_guests_see_more_or_for_longer(change: str) -> None:
    after, wider = CHANGES[change]

    assert widens(LINK, after) is wider


def test_a_link_that_follows_on_no_more_is_not_wider() -> None:
    assert not widens(replace(LINK, up_to=None), LINK)


def test_what_was_said_later_is_not_part_of_it() -> None:
    chat = idle()
    line = LineOfHistory.of([(1, ALL)], UpTo(MessageId(chat.chat.last_number), chat.chat.branch))
    chat.tell(send("and then?"))
    chat.tell(step(says("no more")))

    assert _shown(chat, line) == ["user: hello", "assistant: hi"]


def test_what_is_not_in_the_history_any_more_is_not_shown_and_neither_is_what_came_instead() -> None:
    chat = _edited()
    line = LineOfHistory.of([(1, ALL)], UpTo(MessageId(2), BranchId(1)))

    assert _shown(chat, line) == []


def test_a_branch_that_was_left_at_the_making_is_not_part_of_it_even_if_the_owner_goes_back_to_it() -> None:
    chat = _edited()
    fork = chat.branches[BranchId(2)].fork_id
    line = LineOfHistory.of([(2, ALL), (1, fork)], UpTo(MessageId(chat.chat.last_number), chat.chat.branch))
    assert _shown(chat, line) == ["user: hello again", "assistant: hi again"]

    chat.tell(SwitchBranch(branch=BranchId(1)))

    # Older than the link, in the history, and never meant to be seen.
    assert chat.transcript == ["user: hello", "assistant: hi"]
    assert _shown(chat, line) == []


def _edited() -> ModelChat:
    chat = idle()
    chat.tell(EditMessage(message_id=MessageId(1), content=said("hello again")))
    chat.tell(step(says("hi again")))
    chat.tell(FinishTurn())
    return chat


def _shown(chat: ModelChat, line: LineOfHistory) -> list[str]:
    return [words_of(message) for message in chat.history if line.has(message)]
