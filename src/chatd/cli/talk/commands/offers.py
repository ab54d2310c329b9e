"""What is offered while a command, a model, a chat or a file is typed."""

from collections.abc import Sequence
from pathlib import Path
from urllib.parse import urlsplit

from chatd.cli.flags.options import EFFORTS
from chatd.cli.remote import LOCAL
from chatd.cli.talk.commands.setup import LEFT_TO_MODEL
from chatd.cli.talk.commands.table import COMMANDS
from chatd.cli.talk.commands.talked import Talked
from chatd.cli.talk.typing.completion import OFFERED_MAX, Offer, TalkCompleter
from chatd.cli.talk.typing.local_files import files_below, paths_beginning_with


def completer_for(talk: Talked) -> TalkCompleter:
    async def models(part: str) -> Sequence[Offer]:
        found = await talk.client.models()
        return [Offer(each.name, each.display_name) for each in found if part in each.name]

    async def efforts(part: str) -> Sequence[Offer]:
        return [Offer(each) for each in (*EFFORTS, LEFT_TO_MODEL) if each.startswith(part)]

    async def chats(part: str) -> Sequence[Offer]:
        page = await talk.client.chats(limit=OFFERED_MAX)
        found = (
            chat for chat in page.chats if chat.id.startswith(part) or part.lower() in chat.title.lower()
        )
        return [Offer(chat.id, chat.title) for chat in found]

    async def files(part: str) -> Sequence[Offer]:
        if talk.chat_id is not None:
            return [Offer(path) for path in await talk.client.workspace_files(talk.chat_id, part)]
        root = await _place_of_new_chat(talk)
        return await files_below(root, part) if root is not None else ()

    commands = [Offer(each.name, each.help) for each in COMMANDS]
    arguments = {
        "/model": models,
        "/effort": efforts,
        "/resume": chats,
        "/open": chats,
        "/attach": paths_beginning_with,
        "/file": paths_beginning_with,
        "/export": paths_beginning_with,
    }
    return TalkCompleter(commands, arguments, files)


async def _place_of_new_chat(talk: Talked) -> Path | None:
    """Where its agent will work, if that is on this machine."""
    if urlsplit(talk.client.address).hostname not in LOCAL:
        return None
    offered = await talk.client.workspace()
    if not offered.usable or offered.root is None:
        return None
    # A path that is not absolute is one in the workspace of the server.
    root = Path(offered.root, talk.workspace) if isinstance(talk.workspace, str) else Path(offered.root)
    return root if root.is_dir() else None
