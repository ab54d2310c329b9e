"""Rules for approvals: the server's, a user's own and a chat's, in the order in which they are tried."""

from collections.abc import Iterable
from typing import TypeVar

from msgspec import Struct

from chatd.api.bodies import Nothing
from chatd.api.chats.approvals.rule_bodies import AddRule, MoveRule, OriginView, RuleList, RuleView, Source
from chatd.api.chats.permitted import permitted_chat, transact_permitted
from chatd.api.router import Asked
from chatd.domain.approvals import rule as domain
from chatd.domain.approvals.rule import KeptRule, Rule, RuleChange
from chatd.domain.ids import ChatId, Micros, UserId
from chatd.domain.transitions.chat.change_rules import ChangeRules
from chatd.errors import NotAllowed
from chatd.kit.clock import rfc3339
from chatd.storage.tables.rules import read_chat_rules, read_user_rules, save_user_rules

Q = TypeVar("Q", bound=Struct)
B = TypeVar("B", bound=Struct)


async def list_(asked: Asked[Nothing, Nothing]) -> RuleList:
    return await _of_user(asked)


async def add(asked: Asked[Nothing, AddRule]) -> RuleList:
    await save_user_rules(asked.store.db, asked.user.id, _added(asked))
    return await _of_user(asked)


async def move(asked: Asked[Nothing, MoveRule]) -> RuleList:
    await save_user_rules(asked.store.db, asked.user.id, _moved(asked))
    return await _of_user(asked)


async def delete(asked: Asked[Nothing, Nothing]) -> None:
    await save_user_rules(asked.store.db, asked.user.id, _removed(asked))


async def list_of_chat(asked: Asked[Nothing, Nothing]) -> RuleList:
    chat = await permitted_chat(asked)
    return await _of_chat(asked, chat.id, chat.owner_id)


async def add_to_chat(asked: Asked[Nothing, AddRule]) -> RuleList:
    return await _changed(asked, _added(asked))


async def move_in_chat(asked: Asked[Nothing, MoveRule]) -> RuleList:
    return await _changed(asked, _moved(asked))


async def delete_from_chat(asked: Asked[Nothing, Nothing]) -> None:
    await _changed(asked, _removed(asked))


async def _changed(asked: Asked[Q, B], change: RuleChange) -> RuleList:
    done, _ = await transact_permitted(asked, ChangeRules(changes=(change,)))
    return await _of_chat(asked, done.chat.id, done.chat.owner_id)


def _added(asked: Asked[Q, AddRule]) -> RuleChange:
    body = asked.body
    rule = Rule(
        verdict=body.verdict,
        tool=body.tool,
        words=body.words,
        paths=body.paths,
        hosts=body.hosts,
        workspace=body.workspace,
    )
    now = Micros(asked.server.live.clock.now_micros())
    kept = KeptRule(rule=rule, created_at=now, created_by=asked.user.id)
    return domain.AddRule(kept=kept, position=body.position)


def _moved(asked: Asked[Q, MoveRule]) -> RuleChange:
    return domain.MoveRule(rule_id=_named(asked), position=asked.body.position)


def _removed(asked: Asked[Q, B]) -> RuleChange:
    return domain.RemoveRule(rule_id=_named(asked))


def _named(asked: Asked[Q, B]) -> str:
    rule_id = asked.path["rule_id"]
    if rule_id in {rule.id for rule in asked.server.rules.deployment}:
        raise NotAllowed(
            "declared",
            f"The rule {rule_id} is from the settings of the server.",
            hint="An administrator can change it there, with the [[rules]] of the settings file.",
        )
    return rule_id


async def _of_user(asked: Asked[Q, B]) -> RuleList:
    return _listed(asked, user=await read_user_rules(asked.store.db, asked.user.id))


async def _of_chat(asked: Asked[Q, B], chat_id: ChatId, owner_id: UserId) -> RuleList:
    db = asked.store.db
    return _listed(asked, user=await read_user_rules(db, owner_id), chat=await read_chat_rules(db, chat_id))


def _listed(asked: Asked[Q, B], *, user: Iterable[KeptRule], chat: Iterable[KeptRule] = ()) -> RuleList:
    rules = asked.server.rules
    return RuleList(
        rules=(
            *(_view(rule, "deployment") for rule in rules.deployment),
            *(_view(kept.rule, "user", kept) for kept in user),
            *(_view(kept.rule, "chat", kept) for kept in chat),
        ),
        asks=rules.asks,
    )


def _view(rule: Rule, source: Source, kept: KeptRule | None = None) -> RuleView:
    origin = kept.origin if kept is not None else None
    return RuleView(
        id=rule.id,
        source=source,
        verdict=rule.verdict,
        tool=rule.tool,
        words=rule.words,
        paths=rule.paths,
        hosts=rule.hosts,
        workspace=rule.workspace,
        text=str(rule),
        created_at=rfc3339(kept.created_at) if kept is not None else None,
        created_by=kept.created_by if kept is not None else None,
        origin=OriginView(chat_id=origin.chat_id, message_id=origin.message_id, tool_call_id=origin.call_id)
        if origin is not None
        else None,
    )
