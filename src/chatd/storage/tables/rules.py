"""Rules for approvals in the database: a user's own, and all that count for a chat.

A chat's own rules are part of the chat: `transact` writes them.
"""

from collections.abc import Sequence

from msgspec import Struct

from chatd.domain.approvals.rule import KeptRule, Rule, RuleChange, rules_after
from chatd.domain.ids import ChatId, UserId
from chatd.storage.database import Connection, Database, Pace
from chatd.storage.rows import plain_rule_of, rule_of, rule_values


class StoredRules(Struct, frozen=True):
    """What counts for a call beside the rules of the deployment, in its order."""

    user: tuple[Rule, ...] = ()
    chat: tuple[Rule, ...] = ()


async def read_rules(db: Database, owner_id: UserId, chat_id: ChatId) -> StoredRules:
    rows = await db.read(lambda tx: tx.all("rules_that_count", owner_id, chat_id), pace=Pace.ONE_QUERY)
    user = tuple(plain_rule_of(row) for row in rows if not row[1])
    return StoredRules(user, tuple(plain_rule_of(row) for row in rows[len(user) :]))


async def read_chat_rules(db: Database, chat_id: ChatId) -> tuple[KeptRule, ...]:
    return await db.read(lambda tx: chat_rules(tx, chat_id))


async def chat_rules(tx: Connection, chat_id: ChatId) -> tuple[KeptRule, ...]:
    return tuple(rule_of(row) for row in await tx.all("rules_of_chat", chat_id))


async def read_user_rules(db: Database, user_id: UserId) -> tuple[KeptRule, ...]:
    return await db.read(lambda tx: _user_rules(tx, user_id))


async def save_user_rules(db: Database, user_id: UserId, *changes: RuleChange) -> tuple[KeptRule, ...]:
    """All or none. Raises what `rules_after` raises."""
    return await db.write(lambda tx: change_user_rules(tx, user_id, changes))


async def change_user_rules(
    tx: Connection, user_id: UserId, changes: Sequence[RuleChange]
) -> tuple[KeptRule, ...]:
    """As part of a transaction, in which a chat may be locked: a chat is always locked before a user."""
    await tx.one("lock_user", user_id)
    before = await _user_rules(tx, user_id)
    after = rules_after(before, changes)
    if after != before:
        await tx.run("delete_user_rules", user_id)
        values = [(user_id, *rule_values(n, kept)) for n, kept in enumerate(after)]
        if values:
            await tx.run_many("insert_user_rule", values)
    return after


async def _user_rules(tx: Connection, user_id: UserId) -> tuple[KeptRule, ...]:
    return tuple(rule_of(row) for row in await tx.all("rules_of_user", user_id))
