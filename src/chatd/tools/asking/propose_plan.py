"""propose_plan: hand a plan to the person whose chat it is, and wait for their word.

Each plan that is proposed is kept with its call, as a version of its own with the diff to the one before.
"""

import asyncio
from typing import Annotated

from msgspec import Meta, Struct

from chatd.domain.approvals.asked import ProposedPlan
from chatd.domain.call import Effect
from chatd.domain.ids import ChatId
from chatd.domain.workspace.plan_file import PLAN_BYTES_MAX, is_plan_path, plan_path
from chatd.kit.text import shortened, valid_text
from chatd.tools.arguments import typed
from chatd.tools.files.place import explain
from chatd.tools.tool import Asking, Tool, ToolError, not_asked, touches_nothing
from chatd.workspaces.edits.diff import diff_of_texts
from chatd.workspaces.files import FileError, Files, Problem

DIFF_CHARACTERS_MAX = 32 * 1024
# Of both plans together: so much is compared in less time than a thread takes to begin.
INLINE_CHARACTERS_MAX = 4 * 1024
PROPOSE_PLAN = "propose_plan"


class Args(Struct, frozen=True, forbid_unknown_fields=True):
    plan: Annotated[
        str,
        Meta(
            description="The whole plan, in Markdown, up to 32 KiB. Leave it out to propose what is in your "
            "plan file."
        ),
    ] = ""
    path: Annotated[str, Meta(description="Your plan file, and no other; it may be left out.")] = ""


async def ask(args: Args, asking: Asking) -> ProposedPlan:
    if args.plan and args.path:
        raise ToolError("Give the plan, or the path of your plan file, and not both.")
    text = args.plan or await _written(args.path, asking)
    _check(text)
    before = await asking.last_plan()
    if before is None:
        return ProposedPlan(version=1, text=text)
    # In a thread: two long plans take a while to compare.
    is_long = len(before.text) + len(text) > INLINE_CHARACTERS_MAX
    compared = ("plan.md", before.text, text)
    diff = await asyncio.to_thread(diff_of_texts, *compared) if is_long else diff_of_texts(*compared)
    return ProposedPlan(version=before.version + 1, text=text, diff=shortened(diff, DIFF_CHARACTERS_MAX))


async def _written(path: str, asking: Asking) -> str:
    """What is in the plan file."""
    files = await asking.files()
    if files is None:
        raise ToolError(
            "This chat has no workspace, so there is no plan file. Give the whole plan in `plan`."
        )
    own = plan_path(asking.chat_id)
    if path and not is_plan_path(path, asking.chat_id, files.root):
        raise ToolError(f"{shortened(path, 200)} is not the plan of this chat, which is {own}.")
    try:
        return await _read(files, asking.chat_id)
    except FileError as error:
        advice = f"Write the plan to {own}, or give it in `plan`." if error.problem is Problem.MISSING else ""
        raise ToolError(advice or explain(error)) from error


async def _read(files: Files, chat_id: ChatId) -> str:
    own = plan_path(chat_id)
    if not is_plan_path(await files.resolve(own), chat_id, files.root):
        raise ToolError(f"{own} leads to another file. Give the whole plan in `plan`.")
    piece = await files.read(own, limit=PLAN_BYTES_MAX + 1)
    if piece.file_size > PLAN_BYTES_MAX:
        raise _too_long(piece.file_size)
    try:
        return piece.data.decode("utf-8")
    except UnicodeDecodeError:
        raise ToolError(f"{own} is no text in UTF-8. Write it anew.") from None


def _check(text: str) -> None:
    if (size := len(text.encode("utf-8", "replace"))) > PLAN_BYTES_MAX:
        raise _too_long(size)
    if not text.strip():
        raise ToolError("The plan is empty. Write it, and propose it then.")
    if valid_text(text) != text:
        raise ToolError("The plan has characters that are no text. Write it without them.")


def _too_long(size: int) -> ToolError:
    return ToolError(f"The plan has {size:,} bytes, and {PLAN_BYTES_MAX:,} are possible. Make it shorter.")


propose_plan = Tool(
    name=PROPOSE_PLAN,
    description=(
        "Propose your plan to the user, and wait. They accept it, and you carry it out; or they say what is "
        "to be different, and you change it and propose it again; or they decline it. Call it alone, when "
        "you have looked at all that the plan depends on."
    ),
    arguments=typed(Args),
    effect=Effect.READ,
    run=not_asked,
    touches=touches_nothing,
    ask=ask,
    # Two plans at once could not both be accepted, and nothing else is to happen beside.
    exclusive=True,
)
