"""What lasts is shown as long as it does, with its seconds, and says how to go on."""

from chatd.client.answers import Chat, Children, Queued, WaitingChild
from chatd.client.events import (
    ChildrenChanged,
    MessageSaved,
    QueueUpdated,
    RetryOver,
    RetryPending,
    StatusChanged,
)
from tests.cli.talk.showing.words import Clock, awaited, call, lasting, on_screen, saved, shown, spoken, text

RUNNING = StatusChanged(status="running")
RETRY = RetryPending(attempt=2, delay_ms=4000, error="The model is busy.")


def a_chat(id: str, title: str, status: str = "running") -> Chat:
    return Chat(id=id, title=title, status=status, created_at=f"2026-01-01T00:00:0{id}Z")


def test_a_retry_is_counted_down_and_told_when_it_is_over() -> None:
    clock = Clock()
    view = on_screen(clock)

    assert shown(view, RUNNING, RETRY) == []
    assert lasting(view) == [
        "Attempt 2 failed: The model is busy.",
        "  again in 4 s. /retry tries at once, Ctrl-C stops.",
    ]
    assert view.activity.words() == "attempt 3 in 4 s"
    clock.at += 3
    assert lasting(view)[1].startswith("  again in 1 s.")
    assert shown(view, RetryOver()) == ["tool: Attempt 2 failed: The model is busy."]
    assert lasting(view) == []


def test_what_waits_is_shown_until_it_is_taken_up() -> None:
    view = on_screen()
    rows = [
        Queued(id=number, content=(text(f"message {number}"),), created_at="", when=when)
        for number, when in ((5, "queue"), (6, "steer"))
    ]

    assert shown(view, QueueUpdated(queued_messages=tuple(rows))) == []
    assert lasting(view) == ["Waits: message 5", "Is heard next: message 6  (arrow up takes it back)"]
    assert shown(view, QueueUpdated(queued_messages=()), saved(text("message 5"), role="user", id=5)) == [
        "user: > message 5"
    ]
    assert lasting(view) == []


def test_each_agent_has_a_line_with_what_it_is_doing() -> None:
    clock = Clock()
    view = on_screen(clock)
    asks = awaited("approval", {"command": "ls"}, tool="execute")
    children = Children(count=3, at_work=1, waiting=(WaitingChild(chat_id="2", waiting_for=(asks,)),))
    agents = view.agents
    agents.list(
        [a_chat("3", "read", "waiting"), a_chat("1", "count"), a_chat("2", "look", "requires_action")]
    )
    shown(view, ChildrenChanged(children=children))
    for event in (RUNNING, spoken(text("One, two"))):
        agents.see("1", event)
    clock.at += 5

    assert lasting(view)[:4] == [
        "3 agents, 1 at work. /agents NUMBER looks at one, /back returns.",
        "  ▸ 1  count: writing, 5 s",
        "  ? 2  look: asks you about $ ls",
        "  ✓ 3  read: done",
    ]
    agents.see("1", saved(call("c", "read_file", path="x")))
    assert lasting(view)[1] == "  ▸ 1  count: Read x, 5 s"


def test_agents_are_not_shown_when_none_works_or_waits() -> None:
    view = on_screen()
    view.agents.list([a_chat("1", "count", "waiting")])

    assert lasting(view) == []


def test_a_viewer_who_comes_in_the_middle_of_a_turn_is_told_how_long_it_takes_already() -> None:
    view = on_screen()
    asked = saved(text("hello"), role="user")
    assert isinstance(asked, MessageSaved)

    shown(view, asked, RUNNING)

    # The message says no moment that could be right.
    assert view.activity.seconds == 0
