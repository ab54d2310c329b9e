"""Completion while one types: commands, models, efforts, chats, files of the workspace."""

from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence

from msgspec import Struct
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document

from chatd.client import ApiError, Unreachable
from chatd.kit.text import one_line, shortened

OFFERED_MAX = 50
MEANING_LENGTH = 60


class Offer(Struct, frozen=True):
    text: str
    meaning: str = ""


Offers = Callable[[str], Awaitable[Sequence[Offer]]]


class TalkCompleter(Completer):
    """`arguments` says what may follow a command, `mentioned` what may follow an @."""

    def __init__(self, commands: Sequence[Offer], arguments: Mapping[str, Offers], mentioned: Offers) -> None:
        self._commands = commands
        self._arguments = arguments
        self._mentioned = mentioned

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:  # noqa: ARG002
        # Most of what is offered comes from the server; prompt_toolkit asks for it as below.
        return ()

    async def get_completions_async(
        self,
        document: Document,
        complete_event: CompleteEvent,  # noqa: ARG002
    ) -> AsyncGenerator[Completion, None]:
        async for typed, offer in self._offered(document.text_before_cursor):
            meaning = shortened(one_line(offer.meaning), MEANING_LENGTH)
            yield Completion(offer.text, start_position=-len(typed), display_meta=meaning)

    async def _offered(self, text: str) -> AsyncIterator[tuple[str, Offer]]:
        command, blank, rest = text.partition(" ")
        word = text.rsplit(maxsplit=1)[-1] if text and not text[-1].isspace() else ""
        if word.startswith("@"):
            for offer in await _asked(self._mentioned, word[1:]):
                yield word, Offer(f"@{offer.text}", offer.meaning)
        elif text.startswith("/") and not blank and "\n" not in text:
            for offer in self._commands:
                if offer.text.startswith(command):
                    yield command, offer
        elif blank and (offers := self._arguments.get(command)) is not None:
            for offer in await _asked(offers, rest):
                yield rest, offer


async def _asked(offers: Offers, part: str) -> Sequence[Offer]:
    """A server that is away offers nothing."""
    try:
        return (await offers(part))[:OFFERED_MAX]
    except (ApiError, Unreachable, OSError):
        return ()
