"""The tutorials, followed from their first line to their last: a page that lies fails."""

from pathlib import Path

import pytest

from tests.docs.following import Reader
from tests.house.repository import ROOT, read
from tests.support.fresh_postgres import fresh_database
from tools.proxies import find_program

TUTORIALS = "docs/tutorials"
# What is not the same for every reader.
DATABASE = "postgresql://chatd:secret@127.0.0.1/chatd"
EXAMPLE = "docs/examples/embed"

ON_A_LAPTOP = ["your-first-chat", "work-in-a-folder", "call-it-from-python", "put-it-into-a-product"]
FOR_A_TEAM = "run-it-for-a-team"


def has(*programs: str) -> None:
    """What the reader of a page needs beside chatd."""
    missing = [name for name in programs if find_program(name) is None]
    if missing:
        pytest.skip(f"there is no {' and no '.join(missing)} on this machine")


async def test_the_tutorials_for_a_laptop_are_true_one_after_the_other(tmp_path: Path) -> None:
    """In one home directory, as people read them: the later ones find the chats of the earlier ones there."""
    has("curl")
    checkout = {EXAMPLE: str(ROOT / EXAMPLE)}
    for name in ON_A_LAPTOP:
        async with Reader(tmp_path, read(f"{TUTORIALS}/{name}.md"), checkout) as reader:
            await reader.follow()


async def test_the_tutorial_for_teams_is_true(tmp_path: Path, postgres_server: str) -> None:
    has("caddy", "curl", "openssl")
    async with fresh_database(postgres_server) as url:
        page = read(f"{TUTORIALS}/{FOR_A_TEAM}.md")
        async with Reader(tmp_path, page, {DATABASE: url}) as reader:
            await reader.follow()


def test_every_tutorial_is_followed() -> None:
    pages = {path.stem for path in (ROOT / TUTORIALS).glob("*.md")}

    assert pages - {"index"} == {*ON_A_LAPTOP, FOR_A_TEAM}
