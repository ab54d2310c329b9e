"""What a person is asked: one thing after the other, each described once; agents of the chat ask too."""

from chatd.client.answers import Awaited, Children, WaitingChild
from chatd.client.events import ChildrenChanged, Event, StatusChanged, WaitingForChanged
from tests.cli.talk.showing.words import awaited, in_pipe, lasting, on_screen, shown

RUNS, ASKS = awaited("approval", {"command": "rm"}, id="a"), awaited("answer", "Which?", id="b")
ACTION = StatusChanged(status="requires_action")


def waits(*asked: Awaited) -> Event:
    return WaitingForChanged(waiting_for=asked, chat_id="p")


def child_waits(*asked: Awaited) -> Event:
    child = WaitingChild(chat_id="c-1", title="Fix tests", waiting_for=asked)
    return ChildrenChanged(children=Children(count=2, at_work=1, waiting=(child,) if asked else ()))


def test_one_thing_is_asked_after_the_other() -> None:
    view = in_pipe()

    assert shown(view, ACTION, waits(RUNS, ASKS, awaited("result", id="c"))) == [
        "note: The agent waits for a client to run run.",
        "asked: May the agent run run?",
        'call:     {"command":"rm"}',
        "note:   y  allow it this time",
        "note:   n  do not; what you write behind it is told to the agent",
    ]
    assert shown(view, waits(RUNS, ASKS)) == []
    assert shown(view, waits(ASKS)) == ["asked: The agent asks: Which?"]


def test_on_a_screen_the_answers_stand_by_the_field_as_long_as_they_count() -> None:
    view = on_screen()

    assert shown(view, ACTION, waits(RUNS, ASKS))[-1] == 'call:     {"command":"rm"}'
    assert lasting(view) == [
        "  y  allow it this time",
        "  n  do not; what you write behind it is told to the agent",
        "  1 more to answer after this.",
    ]
    shown(view, StatusChanged(status="running"), waits())
    assert lasting(view) == []


def test_what_an_agent_of_the_chat_asks_is_answered_here() -> None:
    view = on_screen()

    assert shown(view, child_waits(RUNS), child_waits(RUNS))[:2] == [
        "note: The agent 'Fix tests', which works for this chat, asks:",
        "asked: May the agent run run?",
    ]
    assert view.asked is not None
    assert (view.asked.chat_id, view.asked.agent) == ("c-1", "Fix tests")
    # Answered and asked again is news.
    assert len(shown(view, child_waits(), child_waits(RUNS))) == 3


def test_what_the_chat_itself_asks_comes_first() -> None:
    view = on_screen()
    shown(view, ACTION, child_waits(RUNS), waits(ASKS))

    assert view.asked is not None
    assert view.asked.awaited == ASKS


def test_in_a_pipe_an_agent_is_answered_in_its_own_chat() -> None:
    view = in_pipe()

    assert shown(view, child_waits(RUNS), child_waits(RUNS)) == [
        """note: 'Fix tests', which works for this chat, waits for your approval for run {"command":"rm"}""",
        "note: `chatd chat c-1` answers.",
    ]
    assert view.asked is None
