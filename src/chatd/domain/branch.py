"""Branches: an edit starts a new one and keeps the old one readable.

A branch has its own messages and, before its fork, those of its parent. Numbers grow
along every path, so the messages of a branch in the order of their ids are its history.
The first branch of a chat has no row: most chats never need another.
"""

from msgspec import Struct

from chatd.domain.ids import BranchId, MessageId, Micros

FIRST_BRANCH = BranchId(1)


class Branch(Struct, frozen=True, kw_only=True):
    id: BranchId
    parent_id: BranchId
    # The first message of the parent's history that this branch does not share.
    fork_id: MessageId
    created_at: Micros
