"""Commands about the turn that runs, and what waits for it or for a person."""

from chatd.cli.talk.answers.answering import SKIP
from chatd.cli.talk.commands.talked import Talked, begun
from chatd.cli.talk.showing.calls.words import glimpse
from chatd.cli.talk.showing.questions import Asked
from chatd.cli.talk.showing.transcript import words_of
from chatd.errors import Unusable

_SCOPES = {"": "y", "once": "y", "chat": "c", "always": "a"}
_QUEUE = "/queue lists what waits, /queue rm NUMBER takes it back, /queue now NUMBER has it said now."


async def retry(talk: Talked, _: str) -> None:
    chat_id = begun(talk)
    await talk.do("/retry", lambda: talk.client.retry(chat_id))


async def stop(talk: Talked, _: str) -> None:
    await talk.stop(begun(talk))


async def steer(talk: Talked, words: str) -> None:
    begun(talk)
    if not words:
        raise Unusable("Say what: /steer TEXT.")
    await talk.send(words, when="steer")


async def compact(talk: Talked, _: str) -> None:
    chat_id = begun(talk)
    await talk.do("/compact", lambda: talk.client.compact(chat_id))


async def queue(talk: Talked, words: str) -> None:
    chat_id = begun(talk)
    waiting = (await talk.client.chat(chat_id)).queue
    verb, _, number = words.partition(" ")
    if not words:
        lines = [f"{index}  {glimpse(words_of(row.content))}" for index, row in enumerate(waiting, start=1)]
        talk.note("\n".join(lines) or "Nothing waits.")
        return
    if verb not in ("rm", "now") or not number.isdecimal() or not 0 < int(number) <= len(waiting):
        raise Unusable(_QUEUE)
    chosen = waiting[int(number) - 1].id
    if verb == "rm":
        await talk.client.delete_queued(chat_id, chosen)
        talk.note("Taken back.")
    else:
        await talk.client.promote_queued(chat_id, chosen)


async def approve(talk: Talked, words: str) -> None:
    asked = _asked(talk, "approval")
    if words not in _SCOPES:
        raise Unusable("Write /approve, /approve chat or /approve always.")
    await talk.answer(asked, _SCOPES[words])


async def deny(talk: Talked, words: str) -> None:
    await talk.answer(_asked(talk, "approval"), f"n {words}".strip())


async def skip(talk: Talked, _: str) -> None:
    await talk.answer(_asked(talk, "answer"), SKIP)


async def output(talk: Talked, _: str) -> None:
    talk.display.print_output()


def _asked(talk: Talked, kind: str) -> Asked:
    asked = talk.asked
    if asked is None or asked.awaited.kind != kind:
        raise Unusable("The agent asks for no such thing at the moment.")
    return asked
