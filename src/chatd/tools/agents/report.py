"""What an agent reports: the text of its last message that has some."""

from chatd.domain.chat import Chat
from chatd.domain.ids import ChatId, MessageId
from chatd.domain.message import Role, text
from chatd.storage.database import Database
from chatd.storage.reads.chunks import LAST_ID
from chatd.storage.reads.read import list_messages

# Messages that are looked through for it, newest first: agents may call tools for long without a word.
_PAGE = 50
_PAGES_MAX = 20
# All reports of one result together; each has an equal share.
REPORTS_LENGTH_MAX = 48_000
REPORT_LENGTH_MIN = 1_000


async def read_report(db: Database, chat_id: ChatId, *, length_max: int) -> str:
    """At most so many characters: its beginning, and what is left out. Empty: it has said nothing."""
    before: MessageId = LAST_ID
    for _ in range(_PAGES_MAX):
        page = await list_messages(db, chat_id, before=before, limit=_PAGE)
        for message in page.messages:
            said = text(message).strip() if message.role is Role.ASSISTANT else ""
            if said:
                return _shortened(said, length_max)
        if not page.has_more:
            break
        before = page.messages[-1].id
    return ""


def length_for(count: int) -> int:
    """Of each report, where there are so many in one result."""
    return max(REPORT_LENGTH_MIN, REPORTS_LENGTH_MAX // max(1, count))


def failure_of(child: Chat) -> dict[str, str | bool]:
    """Why its turn failed, for the model that waits for it."""
    failure = child.last_error
    if failure is None:
        return {"last_error": "The agent failed, and has left no reason."}
    fields: dict[str, str | bool] = {
        "last_error": failure.message,
        "last_error_kind": failure.kind,
        "last_error_retryable": failure.retryable,
    }
    return fields | ({"last_error_detail": failure.detail} if failure.detail else {})


def _shortened(report: str, length_max: int) -> str:
    if len(report) <= length_max:
        return report
    left_out = len(report) - length_max
    return f"{report[:length_max]}\n[{left_out} characters are left out; ask the agent for them]"
