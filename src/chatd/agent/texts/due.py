"""Which texts a chat wants, as it is now (pure)."""

from msgspec import Struct

from chatd.agent.texts.kinds import LABEL, SUMMARY, TITLE, TextKind
from chatd.catalog.documents import Texts
from chatd.domain.chat import Chat, Status
from chatd.domain.profile.texts import TitleBy
from chatd.domain.turn_end import Reason

# A title is looked for after the first turn. If something came in between, such as a crash or a provider that
# was away, that is made up for after the next ones.
TITLE_TURNS_MAX = 3
# After the first turn, and then after every third one.
SUMMARY_EVERY_TURNS = 3


class Ended(Struct, frozen=True, kw_only=True):
    """A chat as the end of a turn left it."""

    chat: Chat
    # Whether a script in it may have words for a text; True also when that is not known.
    scripted: bool = True


def due(chat: Chat, wanted: Texts) -> tuple[TextKind, ...]:
    """In the order in which they are written. A chat that works for another wants none from a model."""
    if chat.parent_id is not None or not is_listed(chat):
        return ()
    kinds = {
        LABEL: wanted.turn_labels and wants_label(chat),
        TITLE: wanted.titles and _wants_title(chat),
        SUMMARY: wanted.summaries and _wants_summary(chat),
    }
    return tuple(kind for kind, is_due in kinds.items() if is_due)


def is_listed(chat: Chat) -> bool:
    return not chat.temporary and not chat.archived


def wants_label(chat: Chat) -> bool:
    """The last turn came to its end by itself, and has none."""
    has_one = chat.turn_label is not None and chat.turn_label.turn == chat.projection.turn_start
    return _has_ended(chat) and not has_one


def _wants_title(chat: Chat) -> bool:
    spoke = chat.status in (Status.WAITING, Status.RUNNING, Status.REQUIRES_ACTION)
    return chat.title_by is TitleBy.FALLBACK and spoke and chat.projection.turns <= TITLE_TURNS_MAX


def _wants_summary(chat: Chat) -> bool:
    is_its_turn = (chat.projection.turns - 1) % SUMMARY_EVERY_TURNS == 0
    return _has_ended(chat) and (is_its_turn or chat.summary is None)


def _has_ended(chat: Chat) -> bool:
    """By itself, and with something to say about: a summary that the user asked for is no turn."""
    ended = chat.status is Status.WAITING and chat.finish_reason not in (None, Reason.INTERRUPTED)
    return ended and chat.projection.messages_since_boundary > 0
