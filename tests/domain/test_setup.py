"""What a chat is set up with: which commands change it, and when."""

from msgspec.structs import replace

from chatd.domain.setup import ClientTool, Setup, SetupChange, changed
from chatd.domain.transitions.calls.submit_actions import Result, SubmitActions
from chatd.domain.transitions.messages.send_message import When
from chatd.domain.transitions.turns.finish_turn import FinishTurn
from tests.domain.chats import asking, idle, running
from tests.support.model import ModelChat
from tests.words import CLIENT_TOOL, answers, call, client_call, create, says, send, step

OTHER = SetupChange(client_tools=(ClientTool(name="other"),))


def tools_of(chat: ModelChat) -> list[str]:
    assert chat.locked.setup is not None
    return [tool.name for tool in chat.locked.setup.client_tools]


def test_whatever_a_chat_is_set_up_with_can_be_changed() -> None:
    assert SetupChange.__struct_fields__ == Setup.__struct_fields__


def test_what_is_not_set_stays_as_it_is() -> None:
    setup = Setup(client_tools=(ClientTool(name="tab"),))

    assert changed(setup, SetupChange()) == setup
    assert changed(setup, SetupChange(client_tools=())) == Setup()


def test_a_chat_that_is_created_with_nothing_was_never_set_up() -> None:
    chat = ModelChat(replace(create(), setup=None))

    assert chat.locked.setup is None
    assert chat.chat.versions.setup == 0


def test_a_message_that_is_read_at_once_sets_up_the_chat_at_once() -> None:
    chat = idle()

    (outcome,) = chat.tell(replace(send("and now?"), setup=OTHER))

    assert tools_of(chat) == ["other"]
    assert outcome.setup == chat.locked.setup
    assert chat.chat.versions.setup == chat.chat.versions.snapshot


def test_setting_up_what_is_there_already_changes_nothing() -> None:
    chat = idle()
    before = chat.chat.versions.setup

    (outcome,) = chat.tell(
        replace(send("again"), setup=SetupChange(client_tools=(ClientTool(name=CLIENT_TOOL),)))
    )

    assert outcome.setup is None
    assert chat.chat.versions.setup == before


def test_a_queued_message_sets_up_the_chat_when_its_turn_begins() -> None:
    chat = running()
    chat.tell(replace(send("later"), setup=OTHER))
    assert tools_of(chat) == [CLIENT_TOOL]

    chat.tell(step(says("done")), FinishTurn())

    assert tools_of(chat) == ["other"]


def test_a_steered_message_sets_up_the_chat_when_it_enters_the_turn() -> None:
    chat = running()
    chat.tell(step(says("let me", call("a"))))
    chat.tell(replace(send("rather so", When.STEER), setup=OTHER))
    assert tools_of(chat) == [CLIENT_TOOL]

    chat.tell(step(answers("a")))

    assert chat.transcript[-1] == "user: rather so"
    assert tools_of(chat) == ["other"]


def test_answers_of_a_client_set_up_the_chat_for_the_rest_of_its_turn() -> None:
    chat = asking(client_call("tab"))

    result = Result(call_id=client_call("tab").tool_call_id, output="opened")
    chat.tell(SubmitActions(actions=(result,), setup=OTHER))

    assert tools_of(chat) == ["other"]
