"""What the model says in the pictures: it mends the project of `chatd demo`."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from chatd.domain.part import Json
from tests.fake_provider.script import Answer, Call, Step, say
from tests.fake_provider.server import FakeProvider
from tests.fake_provider.wires.wire import Asked

REQUEST = "The mean of 2, 4 and 6 comes out as 5. Find the mistake and mend it, please."
TITLE = "Mend the mean"
FINDING = "Both tests pass now."
PACE_SECONDS = 0.06


def words(text: str) -> Step:
    return say(*(f"{word} " for word in text.split(" ")))


def _turn() -> tuple[tuple[Step, ...], ...]:
    edit: dict[str, Json] = {"path": "mean.sh", "edits": [{"old_text": " + 1", "new_text": ""}]}
    return (
        (
            words("I read the script and run its tests."),
            Call("read", "read_file", {"path": "mean.sh"}),
            Call("before", "execute", {"command": "sh test.sh", "model_intent": "running the tests"}),
        ),
        (
            words(
                "The result is too large by one: `mean.sh` adds `+ 1` after the division. I take that out."
            ),
            Call("edit", "edit_files", {"files": [edit]}),
        ),
        (Call("after", "execute", {"command": "sh test.sh", "model_intent": "running the tests again"}),),
        (words(f"{FINDING} The division rounds down by itself, so **nothing had to be added**."),),
    )


def _reply(asked: Asked) -> Answer:
    """Which step it is, the results tell that came so far; who asks without tools wants a title."""
    body = asked.body
    assert isinstance(body, dict)
    if not body.get("tools"):
        return Answer(steps=(say(TITLE),))
    steps = _turn()
    messages = body["messages"]
    assert isinstance(messages, list)
    spoken = sum(1 for message in messages if isinstance(message, dict) and message["role"] == "assistant")
    return Answer(steps=steps[min(spoken, len(steps) - 1)], pace=PACE_SECONDS)


@contextmanager
def speaking() -> Iterator[str]:
    """The address of a provider that tells the story, in a thread of its own beside Playwright's."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    provider = FakeProvider(otherwise=_reply)
    try:
        asyncio.run_coroutine_threadsafe(provider.__aenter__(), loop).result()
        yield provider.address
    finally:
        # With the loop go its connections.
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()
