"""A server that fails, goes away and comes back, on a real screen: nothing is lost or shown twice."""

from pathlib import Path

import pytest

from tests.cli.caller import typing
from tests.cli.talk.screens.journey import a_server, says, talking
from tests.cli.talk.screens.words import WIDTHS, counts_down, leaves

AWAY = "The server is away. What you type is kept, and sent when it is back."


async def test_a_retry_is_counted_down_in_place(tmp_path: Path) -> None:
    async with talking(tmp_path) as (_, person):
        says(person, "fail overloaded once retry after 8", "say It works now.")
        why = "Attempt 1 failed: The scripted model is overloaded at the moment."
        await person.matches("> say It works now.", why, r"  again in \d s\. /retry tries .*", "…>")
        await counts_down(person, r"  again in (\d) s\. /retry tries at once, Ctrl-C stops\.")
        await counts_down(person, r"attempt 2 in (\d) s · scripted/scripted .*")
        person.keep_picture("counting")
        await person.shows("> say It works now.", why, "It works now.", ">")
        await leaves(person)


async def test_whoever_does_not_want_to_wait_has_it_tried_at_once(tmp_path: Path) -> None:
    async with talking(tmp_path) as (_, person):
        says(person, "fail overloaded once retry after 290", "say It works now.")
        await person.matches(r"  again in 4 min .*")
        person.type("/retry\r")
        # The attempts are counted anew, so it fails once more.
        await person.matches(r"Attempt 1 failed.*", r"Attempt 1 failed.*", r"  again in 4 min .*")
        await leaves(person)


@pytest.mark.parametrize("columns", WIDTHS)
async def test_a_server_that_is_killed_in_mid_sentence_goes_on_after_a_restart(
    tmp_path: Path, columns: int
) -> None:
    """What was half said goes from the screen when it is said anew, and what was typed meanwhile is sent."""
    async with talking(tmp_path, columns=columns) as (server, person):
        says(person, "stream 40 words at 10 per second", "say ", "say The end.")
        await person.matches("> say The end.", "river stone number .*")
        await server.kill()
        await person.matches("the server is away · .*")
        person.type("say Thanks.\r")
        await person.matches(r"Not sent yet \(Ctrl-C gives up\): say T.*", r"\(not sent\)>")
        person.keep_picture("away")
        await server.start()
        await person.shows("The end.", "", "> say Thanks.", "Thanks.", ">")
        said = "\n".join(person.lines())
        assert [said.count(words) for words in ("river stone number", "The end.", "Thanks.")] == [1, 2, 2]
        assert said.replace("\n", " ").count(AWAY) == 1
        await leaves(person)


async def test_a_server_that_comes_back_at_another_port_is_found_by_its_data_directory(
    tmp_path: Path,
) -> None:
    by_directory = {"CHATD_URL": "", "CHATD_TOKEN": "", "CHATD_DATA_DIR": str(tmp_path / "data")}
    async with (
        a_server(tmp_path) as server,
        typing(tmp_path, server, "chat", more=by_directory) as person,
    ):
        await person.shows(">")
        says(person, "say Hello.")
        await person.shows("Hello.", ">")
        before = server.address
        await server.kill()
        await person.matches("the server is away · .*")
        person.type("say Thanks.\r")
        await server.start(elsewhere=True)
        assert server.address != before
        await person.shows("> say Thanks.", "Thanks.", ">")
        await leaves(person)


async def test_that_the_server_is_back_is_said_also_to_who_has_typed_nothing(tmp_path: Path) -> None:
    async with talking(tmp_path) as (server, person):
        says(person, "say Hello.")
        await person.shows("Hello.", ">")
        await server.kill()
        await person.shows("Hello.", AWAY, ">")
        await person.matches("the server is away · .*")
        await server.start()
        await person.shows("Hello.", AWAY, "The server is back.", ">")
        await person.hides("the server is away")
        await leaves(person)


async def test_a_terminal_that_says_late_where_the_cursor_is_shows_all_that_was_printed(
    tmp_path: Path,
) -> None:
    async with talking(tmp_path) as (_, person):
        banner = person.lines()[0]
        assert banner.startswith("chatd ")
        # As behind a slow connection: the reply is printed before the answer comes.
        person.answers_late = True
        says(person, "say - One", "say - Two", "say - Three", "say - Four")
        await person.shows("• Three", "• Four", ">")
        person.answer()
        person.type("more")
        await person.shows("• Four", "> more")

        assert person.lines()[0] == banner
