"""Branches: the lines of history that edits have made, and the way back to one of them."""

from chatd.api import bodies, checks
from chatd.api.bodies import Nothing
from chatd.api.chats.permitted import permitted_chat, transact_permitted
from chatd.api.chats.showing import show_locked
from chatd.api.router import Asked
from chatd.domain.branch import FIRST_BRANCH, Branch
from chatd.domain.chat import Chat
from chatd.domain.ids import BranchId
from chatd.domain.transitions.messages.switch_branch import SwitchBranch
from chatd.kit.clock import rfc3339
from chatd.storage.reads.read import list_branches


async def list_(asked: Asked[Nothing, Nothing]) -> bodies.BranchList:
    chat = await permitted_chat(asked)
    # An edit that happened since we looked belongs to the next look.
    known = [b for b in await list_branches(asked.store.db, chat.id) if b.id <= chat.branch_count]
    return bodies.BranchList(branches=(_first(chat), *(_view(chat, branch) for branch in known)))


async def switch(asked: Asked[Nothing, Nothing]) -> bodies.ChatView:
    branch = BranchId(checks.number(asked.path["branch"], "branch"))
    done, seen = await transact_permitted(asked, SwitchBranch(branch=branch))
    return await show_locked(asked, seen, done.locked)


def _first(chat: Chat) -> bodies.BranchView:
    return bodies.BranchView(
        id=FIRST_BRANCH,
        active=chat.branch == FIRST_BRANCH,
        parent_id=None,
        fork_id=None,
        created_at=rfc3339(chat.created_at),
    )


def _view(chat: Chat, branch: Branch) -> bodies.BranchView:
    return bodies.BranchView(
        id=branch.id,
        active=chat.branch == branch.id,
        parent_id=branch.parent_id,
        fork_id=branch.fork_id,
        created_at=rfc3339(branch.created_at),
    )
