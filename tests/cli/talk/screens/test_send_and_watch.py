"""`chatd send` and `chatd watch` on a real screen: what is said stays, what lasts goes when it is over."""

import signal
from pathlib import Path

from chatd.client import AsyncClient
from tests.cli.caller import typing
from tests.cli.talk.screens.journey import a_server, calls
from tests.cli.talk.screens.words import ROWS, counts_down

# Goes on when the test has seen what it has printed so far.
COMMAND = "echo one; until [ -f go ]; do sleep .1; done; echo two"
SLOW = calls("execute", command=COMMAND, timeout="5m")


async def test_send_shows_what_the_agent_does_and_leaves_what_it_says(tmp_path: Path) -> None:
    script = f"say Let me **look**.\n{SLOW}\nnext\nsay Done."
    async with (
        a_server(tmp_path, CHATD_APPROVALS="never") as server,
        typing(tmp_path, server, "send", "--new", script, rows=ROWS) as person,
    ):
        await person.matches(r"Let me look\.", r"● \$ echo one; .*  \d+ s", "  one", r"\$ echo one.* \d+ s")
        assert person.looks("look.") == "default bold"
        person.keep_picture("meanwhile")
        (server.workspace / "go").touch()
        assert await person.leaves() == 0
        await person.matches(r"chat [0-9a-f-]{36}", r"Let me look\.", "", r"Done\.", "")
        await person.hides("●")


async def test_send_counts_down_to_a_retry_in_place(tmp_path: Path) -> None:
    script = "fail overloaded once retry after 8\nsay It works."
    async with (
        a_server(tmp_path) as server,
        typing(tmp_path, server, "send", "--new", script, rows=ROWS) as person,
    ):
        await person.matches(r"Attempt 1 failed: .*", r"  again in \d s\. .*", r"attempt 2 in \d s")
        await counts_down(person, r"  again in (\d) s\. .*")
        assert await person.leaves() == 0
        await person.matches(r"chat [0-9a-f-]{36}", r"It works\.", "")
        await person.hides("failed")


async def test_watch_shows_calls_as_they_run_and_prints_them_when_they_are_done(tmp_path: Path) -> None:
    async with a_server(tmp_path, CHATD_APPROVALS="never") as server:
        async with AsyncClient(server.address, server.token) as client:
            chat = await client.create_chat(f"{SLOW}\nnext\nsay Done.")
        async with typing(tmp_path, server, "watch", chat.id[:13], rows=ROWS) as person:
            doing = r"\$ echo one.* \d+ s · Ctrl-C stops watching"
            await person.matches(r"● \$ echo one; .*  \d+ s", "  one", doing)
            (server.workspace / "go").touch()
            await person.matches(r"● \$ echo .*", "  one", "  two", r"  ✓ done.*", r"Done\.", "")
            person.process.send_signal(signal.SIGINT)
            assert await person.leaves() == 0
