"""The line below the prompt: what is known of the chat, as far as it fits."""

from chatd.cli.talk.showing.status_line import Facts, note_message, status_line
from chatd.client.answers import Message


def a_message(number: int, cost_micros: int) -> Message:
    usage = {"context_tokens": 250, "context_limit": 1000}
    return Message(
        id=number, role="assistant", content=(), created_at="", cost_micros=cost_micros, usage=usage
    )


def test_messages_of_before_do_not_cost_twice() -> None:
    facts = Facts(cost_micros=500, counted_id=4)
    for message in (a_message(2, 200), a_message(4, 300), a_message(6, 70), a_message(6, 70)):
        note_message(facts, message)

    assert facts.cost_micros == 570


def test_what_matters_most_is_shown_where_not_all_fits() -> None:
    facts = Facts(
        model="anthropic/some", effort="high", title="A chat", chat_id="019b", cost_micros=1_230_000
    )
    note_message(facts, a_message(1, 0))

    assert status_line(facts, "thinking", 75, 100) == (
        "thinking 1 min 15 s · anthropic/some high · 25% of context · $1.23 · A chat · /help"
    )
    assert status_line(facts, "thinking", 75, 25) == "thinking 1 min 15 s"
