"""chatd rules: what agents may do without being asked, and what they may never do."""

from collections.abc import Sequence

from chatd.cli.chats.chat_id import find_chat
from chatd.cli.context import run_loop
from chatd.cli.out import say, say_json, table
from chatd.cli.remote import client_from
from chatd.client import AsyncClient
from chatd.client.answers import Rule, RuleList
from chatd.kit.text import one_line

# What counts where no rule fits.
USUAL = (
    "reading is allowed; changes, commands and hosts on the internet are asked for; and the rest outside is "
    "denied."
)


def ls(*, chat: str | None, as_json: bool, **flags: object) -> None:
    _say(run_loop(_list(client_from(flags), chat)), as_json=as_json)


def add(  # noqa: PLR0913 - what a rule has
    *,
    verdict: str,
    words: Sequence[str],
    tool: str | None,
    paths: Sequence[str],
    hosts: Sequence[str],
    workspace: str,
    position: int,
    chat: str | None,
    as_json: bool,
    **flags: object,
) -> None:
    async def body(client: AsyncClient) -> RuleList:
        async with client:
            return await client.add_rule(
                verdict,
                # Words are those of a command.
                tool=tool or ("execute" if words else "*"),
                words=words,
                paths=paths,
                hosts=hosts,
                workspace=workspace,
                position=position,
                chat_id=await _found(client, chat),
            )

    _say(run_loop(body(client_from(flags))), as_json=as_json)


def move(*, rule_id: str, position: int, chat: str | None, as_json: bool, **flags: object) -> None:
    async def body(client: AsyncClient) -> RuleList:
        async with client:
            return await client.move_rule(rule_id, position, chat_id=await _found(client, chat))

    _say(run_loop(body(client_from(flags))), as_json=as_json)


def rm(*, rule_id: str, chat: str | None, **flags: object) -> None:
    async def body(client: AsyncClient) -> None:
        async with client:
            await client.delete_rule(rule_id, chat_id=await _found(client, chat))

    run_loop(body(client_from(flags)))
    say(f"The rule {rule_id} is gone.")


async def _list(client: AsyncClient, chat: str | None) -> RuleList:
    async with client:
        return await client.rules(await _found(client, chat))


async def _found(client: AsyncClient, chat: str | None) -> str | None:
    return await find_chat(client, chat) if chat is not None else None


def _say(listed: RuleList, *, as_json: bool) -> None:
    if as_json:
        say_json(listed)
        return
    for line in table(("RULE", "OF", "WHAT"), [_row(rule) for rule in listed.rules]) if listed.rules else ():
        say(line)
    say(f"{'Otherwise' if listed.rules else 'There are no rules:'} {USUAL}")
    if not listed.asks:
        say("This server asks for nothing: what would be asked for just runs.")


def _row(rule: Rule) -> tuple[str, str, str]:
    return rule.id, _OF.get(rule.source, rule.source), one_line(rule.text)


_OF = {"deployment": "the server", "user": "you", "chat": "the chat"}
