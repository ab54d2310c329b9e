"""What is offered while a command, a model, a chat or a file is typed."""

from collections.abc import Sequence

from chatd.cli.flags.options import EFFORTS
from chatd.cli.talk.commands.table import COMMANDS
from chatd.cli.talk.commands.talked import Talked
from chatd.cli.talk.typing.completion import OFFERED_MAX, Offer, TalkCompleter, local_files


def completer_for(talk: Talked) -> TalkCompleter:
    async def models(part: str) -> Sequence[Offer]:
        found = await talk.client.models()
        return [Offer(each.name, each.display_name) for each in found if part in each.name]

    async def efforts(part: str) -> Sequence[Offer]:
        return [Offer(each) for each in EFFORTS if each.startswith(part)]

    async def chats(part: str) -> Sequence[Offer]:
        page = await talk.client.chats(limit=OFFERED_MAX)
        found = (
            chat for chat in page.chats if chat.id.startswith(part) or part.lower() in chat.title.lower()
        )
        return [Offer(chat.id, chat.title) for chat in found]

    async def files(part: str) -> Sequence[Offer]:
        if talk.chat_id is None:
            return ()
        return [Offer(path) for path in await talk.client.workspace_files(talk.chat_id, part)]

    commands = [Offer(each.name, each.help) for each in COMMANDS]
    arguments = {
        "/model": models,
        "/effort": efforts,
        "/resume": chats,
        "/open": chats,
        "/attach": local_files,
        "/file": local_files,
        "/export": local_files,
    }
    return TalkCompleter(commands, arguments, files)
