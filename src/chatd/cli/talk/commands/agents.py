"""Commands about the chats that work for this one."""

from chatd.cli.talk.commands.talked import Talked, begun
from chatd.errors import Unusable
from chatd.kit.text import one_line


async def agents(talk: Talked, number: str) -> None:
    """List them, or look at one: then what is typed is for that one, until `/back`."""
    chat_id = begun(talk)
    known = talk.view.agents
    known.list((await talk.client.children(chat_id)).chats)
    if not number:
        lines = [f"{agent.line()}  ({agent.kind}, {agent.chat_id})" for agent in known.all]
        more = "/agents NUMBER looks at one, and /back returns."
        talk.note("\n".join([*lines, more]) if lines else "No agent works for this chat.")
        return
    agent = known.numbered(int(number)) if number.isdecimal() else None
    if agent is None:
        raise Unusable("Say which by its number: /agents NUMBER. /agents lists them.")
    chat = await talk.client.chat(agent.chat_id)
    await talk.go_to(chat)
    talk.note(f"Here is the agent “{one_line(chat.title)}”. What you type is for it; /back returns.")


async def back(talk: Talked, _: str) -> None:
    if talk.parent_id is None:
        raise Unusable("This chat works for no other one.")
    chat = await talk.client.chat(talk.parent_id)
    await talk.go_to(chat)
    talk.note(f"Back in “{one_line(chat.title)}”.")
