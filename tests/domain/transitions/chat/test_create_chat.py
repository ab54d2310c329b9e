import pytest
from msgspec.structs import replace

from chatd.domain.chat import Situation, Status
from chatd.domain.decision.versions import Versions
from chatd.errors import BadInput, NotAllowed
from tests.support.model import ModelChat
from tests.traceability import proves
from tests.words import OWNER, answers, call, create, says, system, user


@proves("state-machine", 3)
def test_a_new_chat_runs_at_its_first_snapshot() -> None:
    chat = ModelChat().chat

    assert chat.situation == Situation(Status.RUNNING)
    assert chat.versions == Versions(snapshot=1, history=1, queue=0, retry=0, attempt=0, setup=1)
    assert chat.retry_state is None
    assert chat.lease is None


@proves("state-machine", 2)
def test_a_chat_without_a_message_is_refused() -> None:
    with pytest.raises(BadInput, match="at least one message"):
        ModelChat(replace(create(), messages=()))


@proves("state-machine", 2)
def test_a_chat_may_begin_with_a_system_message_alone() -> None:
    assert ModelChat(create(system("be kind"))).transcript == ["system: be kind"]


@proves("state-machine", 2)
def test_the_users_message_need_not_be_the_last() -> None:
    chat = ModelChat(create(user("hello"), system("be kind")))

    assert chat.transcript == ["user: hello", "system: be kind"]


def test_messages_are_numbered_in_the_order_they_were_given() -> None:
    chat = ModelChat(create(system("be kind"), user("hello")))

    assert [(message.id, message.role) for message in chat.history] == [(1, "system"), (2, "user")]


def test_a_first_message_without_a_creator_is_its_owners() -> None:
    assert ModelChat().history[0].created_by == OWNER


def test_a_chat_may_begin_with_a_history_that_was_had_elsewhere() -> None:
    chat = ModelChat(create(user("read it"), says("yes", call("a")), answers("a"), user("thanks")))

    assert chat.chat.open_calls == 0
    assert chat.chat.projection.steps == 0


def test_a_history_with_a_message_over_an_open_call_is_refused() -> None:
    with pytest.raises(NotAllowed, match="no result yet"):
        ModelChat(create(user("read it"), says("yes", call("a")), user("well?")))
