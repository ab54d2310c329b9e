"""What a runner remembers of its chat's history, so that a step reads nothing it has read before."""

from collections.abc import Iterable, Sequence, Sized

from chatd.agent.compaction.refusals import Refusals
from chatd.domain.decision.apply import Outcome
from chatd.domain.ids import ChatId, MessageId
from chatd.domain.message import Message, Role, Visibility
from chatd.domain.usage.size import bytes_of
from chatd.errors import Stale
from chatd.providers.model import Transcript
from chatd.storage.database import Database
from chatd.storage.reads.read import read_history


class Memory:
    """The history as the model may see it, up to a version. Grows by what is new; copies nothing."""

    def __init__(self) -> None:
        self._messages: dict[MessageId, Message] = {}
        self._prompt = Transcript()
        self._prompt_bytes = 0
        self._prompt_tokens = 0
        self._said_bytes = 0
        # What the providers of this chat's models have refused.
        self.refusals = Refusals()
        self._version = 0

    async def refresh(self, db: Database, chat_id: ChatId, *, up_to: int) -> None:
        """Learn what others have changed, unless this version of the history is known."""
        if self._version == up_to:
            return
        news = await read_history(db, chat_id, since=self._version)
        if news is None:
            raise Stale(f"chat {chat_id} is gone")
        for message_id in news.deleted:
            if (message := self._messages.pop(message_id, None)) is not None:
                self._said_bytes -= bytes_of(message)
        self._learn(news.messages, anew=bool(news.deleted))
        self._version = news.version

    def follow(self, outcomes: Sequence[Outcome], *, since: int | None) -> None:
        """Learn what was changed in this process, from this version on: the database need not be asked.

        A memory that is not at that version has missed a change of another process, and reads it first.
        """
        if since != self._version or any(outcome.rewrites for outcome in outcomes):
            return
        for outcome in outcomes:
            self._learn(outcome.appended)
            self._version = outcome.after.chat.versions.history

    def __len__(self) -> int:
        return len(self._messages)

    @property
    def size(self) -> int:
        """About how many bytes this is: what was said, and what was written of it for a model, with files."""
        written = self._prompt.written
        return self._said_bytes + (len(written) if isinstance(written, Sized) else 0)

    def prompt(self) -> Transcript:
        """The newest summary and what came after it, with the system's words before; all, without one.

        Valid until the next change. Not a copy: a long chat must not cost more per step than a short one.
        """
        return self._prompt

    def prompt_at(self, version: int) -> Transcript | None:
        """The same, if it is known up to this version."""
        return self._prompt if self._version == version else None

    @property
    def prompt_size_bytes(self) -> int:
        """About how long what is said in the prompt is; carried along, so that it need not be added up."""
        return self._prompt_bytes

    @property
    def prompt_tokens(self) -> int:
        """The same in tokens, by our estimate, with files."""
        return self._prompt_tokens

    def accepted_tokens(self, model: str) -> int:
        """The largest prompt that this model has answered, as it was counted; 0: none that is known."""
        counted = (m.usage.prompt_tokens for m in self._messages.values() if m.usage and m.model == model)
        return max(counted, default=0)

    def everything(self) -> list[Message]:
        """All that a model was ever shown, also what a summary has replaced. In order."""
        return list(self._messages.values())

    def show(self, messages: Sequence[Message]) -> None:
        """From now on the prompt begins with these: what was said, in less room. What comes is added."""
        self._prompt = Transcript(messages)
        self._measure()

    def _measure(self) -> None:
        self._prompt_bytes = sum(map(bytes_of, self._prompt))
        self._prompt_tokens = sum(message.tokens for message in self._prompt)

    def _learn(self, messages: Iterable[Message], *, anew: bool = False) -> None:
        newest = next(reversed(self._messages), MessageId(0))
        for message in messages:
            if not _is_prompted(message):
                continue
            known = message.id in self._messages
            self._messages[message.id] = message
            if known:
                # Only how its turn ended is new, and a model is not told that.
                continue
            # A summary makes most of the prompt superfluous; entering a branch brings older messages back.
            anew = anew or message.compressed or message.id <= newest
            newest = message.id
            self._prompt.append(message)
            self._prompt_bytes += bytes_of(message)
            self._prompt_tokens += message.tokens
            self._said_bytes += bytes_of(message)
        if anew:
            self._messages = dict(sorted(self._messages.items()))
            self._prompt = Transcript(_prompted(self._messages.values()))
            self._measure()


def _is_prompted(message: Message) -> bool:
    """Of a compaction only the summary itself is for the model; its call and result are for people."""
    if message.compressed:
        return message.visibility is Visibility.MODEL
    return message.visibility is not Visibility.USER


def _prompted(messages: Iterable[Message]) -> list[Message]:
    found = list(messages)
    boundary = max((m.id for m in found if m.compressed), default=MessageId(0))
    return [
        m
        for m in found
        if m.id == boundary or (not m.compressed and (m.id > boundary or m.role is Role.SYSTEM))
    ]
