"""What a model is told in plan mode."""

from chatd.domain.chat import Chat
from chatd.domain.profile.chat_kind import ChatKind, kind_of
from chatd.domain.setup import Setup
from chatd.domain.workspace.plan_file import plan_path
from chatd.providers.model import Model

PLAN = """\
This chat is in plan mode. Work out a plan for what the user wants; do not carry it out.
- Look at all that the plan depends on. Change nothing: tools that would are not offered, or are refused.
- Where the plan depends on what only the user knows, ask with ask_user_question, all at once.
- A good plan says in a sentence what will be different in the end, then lists the steps in their order, \
each with the files or things that it touches and how you will know that it worked, and last what could go \
wrong and what is left out. It is as short as the task allows.
- {writing}Propose it with propose_plan, and end with that: do not ask in words whether the plan is good. \
The user accepts it, and plan mode is over; or says what is to be different, and you propose it again."""

WRITING = """\
Write the plan to {path}, which is the one file that you can write, and edit it there when it changes. """

HELPING = """\
You help with a plan, and change nothing: look at what you were asked for, and report what you found, with \
the paths and lines that it rests on."""


async def plan_of_chat(chat: Chat, _: Model, setup: Setup) -> str:
    match kind_of(chat, setup):
        case ChatKind.PLANNING_ROOT:
            writing = WRITING.format(path=plan_path(chat.id)) if setup.workspace is not None else ""
            return PLAN.format(writing=writing)
        case ChatKind.PLANNING_CHILD:
            return HELPING
        case _:
            return ""
