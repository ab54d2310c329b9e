"""chatd skill: the caller's own skills, which agents can read in all of their chats."""

import sys
from pathlib import Path

from chatd.cli.context import run_loop
from chatd.cli.out import say, say_aside, say_json, table
from chatd.cli.remote import client_from
from chatd.client import ApiError, AsyncClient
from chatd.client.answers import Skill
from chatd.domain.workspace.skill import parse_skill
from chatd.errors import Unusable
from chatd.kit.text import one_line, shortened

DESCRIPTION_WIDTH = 80
# The server takes 64 KiB, and says so itself.
_BYTES_MAX = 1024 * 1024


def ls(*, as_json: bool, **flags: object) -> None:
    skills = run_loop(_list(client_from(flags)))
    if as_json:
        say_json({"skills": skills})
        return
    rows = [(each.name, shortened(one_line(each.description), DESCRIPTION_WIDTH)) for each in skills]
    for line in table(("SKILL", "ABOUT"), rows) if rows else ():
        say(line)
    if not rows:
        say_aside("There are none. `chatd skill add FILE` adds one.")


def add(*, file: str, replace: bool, as_json: bool, **flags: object) -> None:
    content = _read(file)
    skill = run_loop(_add(client_from(flags), content, replace=replace))
    if as_json:
        say_json(skill)
    else:
        say(f"{skill.name} is there. Agents are told of it from the next turn on.")


def show(*, name: str, as_json: bool, **flags: object) -> None:
    skill = run_loop(_show(client_from(flags), name))
    if as_json:
        say_json(skill)
    else:
        say(skill.content.removesuffix("\n"))


def rm(*, name: str, **flags: object) -> None:
    run_loop(_remove(client_from(flags), name))


def _read(file: str) -> str:
    """Of a directory its SKILL.md."""
    path = Path(file)
    try:
        if file != "-" and path.is_dir():
            path /= "SKILL.md"
        data = sys.stdin.buffer.read(_BYTES_MAX) if file == "-" else _beginning(path)
        return data.decode("utf-8")
    except OSError as error:
        raise Unusable(f"Cannot read {path}: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise Unusable(f"{path} is not text in UTF-8.") from error


def _beginning(path: Path) -> bytes:
    with path.open("rb") as opened:
        return opened.read(_BYTES_MAX)


async def _list(client: AsyncClient) -> tuple[Skill, ...]:
    async with client:
        return await client.skills()


async def _add(client: AsyncClient, content: str, *, replace: bool) -> Skill:
    async with client:
        try:
            return await client.add_skill(content)
        except ApiError as error:
            if error.code != "duplicate_skill":
                raise
            name = parse_skill(content).name
            if not replace:
                raise Unusable(f"You have a skill {name!r} already. --replace replaces it.") from error
            return await client.change_skill(name, content)


async def _show(client: AsyncClient, name: str) -> Skill:
    async with client:
        return await client.skill(name)


async def _remove(client: AsyncClient, name: str) -> None:
    async with client:
        await client.delete_skill(name)
