"""The line below the prompt (pure): which model and chat this is, what it costs, what the agent is doing."""

from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from chatd.cli.talk.drawing.glyphs import cells_of
from chatd.cli.talk.showing.spell import in_words
from chatd.client.answers import Message, Part
from chatd.client.events import ChatDescribed, Event, MessageSaved, QueueUpdated
from chatd.kit.text import one_line, shortened

TITLE_LENGTH_MAX = 30
MICROS = 1_000_000
SHORT_ID = 8
_BETWEEN = " · "


class Facts(Struct, kw_only=True):
    """What is known of the chat."""

    model: str = ""
    # The one that the user wants from the next message on.
    chosen: str = ""
    effort: str = ""
    title: str = ""
    chat_id: str = ""
    plans: bool = False
    context_tokens: int = 0
    context_limit: int = 0
    cost_micros: int = 0
    # The newest message whose cost is in it: a stream begins with messages of before.
    counted_id: int = 0
    files: int = 0
    queued: int = 0
    away: bool = False


def note_event(facts: Facts, event: Event) -> None:
    match event:
        case MessageSaved(message=message):
            note_message(facts, message)
        case ChatDescribed(chat=described):
            facts.title = str(described.get("title", facts.title))
        case QueueUpdated(queued_messages=queued):
            facts.queued = len(queued)
        case _:
            pass


def note_message(facts: Facts, message: Message) -> None:
    """What a message tells of the model, of how full its context is, and of what the chat has cost."""
    facts.model = facts.chosen or message.model or facts.model
    facts.plans = facts.plans and not any(_accepts_plan(part) for part in message.content)
    _note_usage(facts, message.usage)
    if message.id > facts.counted_id:
        facts.counted_id = message.id
        facts.cost_micros += message.cost_micros or 0


def _accepts_plan(part: Part) -> bool:
    """Then plan mode is over, wherever the plan was accepted."""
    is_decision = part.tool_name == "propose_plan" and isinstance(part.result, dict)
    return is_decision and part.result.get("decision") == "accept"


def _note_usage(facts: Facts, usage: dict[str, Any] | None) -> None:
    tokens = (usage or {}).get("context_tokens") or (usage or {}).get("context_estimate")
    limit = (usage or {}).get("context_limit")
    if isinstance(tokens, int) and isinstance(limit, int) and limit > 0:
        facts.context_tokens, facts.context_limit = tokens, limit


def status_line(facts: Facts, doing: str, seconds: float, columns: int) -> str:
    """As much of it as fits, what matters most first."""
    now = [f"{doing}{f' {in_words(seconds)}' if seconds else ''}"] if doing else []
    away = ["the server is away"] if facts.away else []
    line = ""
    for fact in (*away, *now, *_facts(facts)):
        longer = f"{line}{_BETWEEN}{fact}" if line else fact
        if cells_of(longer) > columns:
            continue
        line = longer
    return line


def _facts(facts: Facts) -> Iterator[str]:
    model = shortened(one_line(facts.model), TITLE_LENGTH_MAX)
    yield f"{model} {facts.effort}".strip() or "default model"
    if facts.plans:
        yield "plan"
    if facts.queued:
        yield f"{facts.queued} queued"
    if facts.files:
        yield f"{facts.files} attached"
    if facts.context_limit:
        yield f"{min(100, round(100 * facts.context_tokens / facts.context_limit))}% of context"
    if facts.cost_micros:
        yield f"${facts.cost_micros / MICROS:.2f}"
    if facts.chat_id:
        yield shortened(one_line(facts.title), TITLE_LENGTH_MAX) or facts.chat_id[:SHORT_ID]
    yield "/help"
