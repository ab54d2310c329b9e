"""Rules for approvals on both databases: kept in their order, written with the answers that make them."""

import pytest

from chatd.domain.approvals.made_rules import Decision
from chatd.domain.approvals.rule import (
    RULES_MAX,
    AddRule,
    ApprovalScope,
    KeptRule,
    MoveRule,
    Origin,
    RemoveRule,
    Rule,
)
from chatd.domain.call import CallState
from chatd.domain.ids import CallId, ChatId, MessageId, Micros
from chatd.domain.transitions.calls.require_action import RequireAction
from chatd.domain.transitions.calls.submit_actions import Approval, SubmitActions
from chatd.domain.transitions.chat.change_rules import ChangeRules
from chatd.errors import LimitReached, NotAllowed, NotFound
from chatd.storage.database import Database
from chatd.storage.reads.read import read_everything
from chatd.storage.tables.rules import (
    StoredRules,
    read_chat_rules,
    read_rules,
    read_user_rules,
    save_user_rules,
)
from chatd.storage.transactions.transact import Store, create_chat, delete_chat, transact
from tests.words import OWNER, allows, asks, asks_first, call, create, denies, says, step

CHAT = ChatId("chat")
TEST = allows(words="npm test")


def kept(rule: Rule) -> KeptRule:
    return KeptRule(rule=rule, created_at=Micros(7), created_by=OWNER)


def add(rule: Rule, position: int = 0) -> AddRule:
    return AddRule(kept=kept(rule), position=position)


async def a_waiting_chat(store: Store, call_id: str = "a") -> MessageId:
    await create_chat(store, create())
    reply = step(says("", call(call_id, "execute")), plans=(asks_first(call_id, TEST),))
    done = await transact(store, CHAT, reply, RequireAction())
    return done.appended[0].id


def decide(scope: ApprovalScope, *, call_id: str = "a", message_id: MessageId | None = None) -> SubmitActions:
    approval = Approval(call_id=CallId(call_id), message_id=message_id, decision=Decision.ALLOW, scope=scope)
    return SubmitActions(actions=(approval,), decided_by=OWNER)


async def test_a_users_rules_are_kept_in_their_order(store: Store, database: Database) -> None:
    odd = denies("execute", "rm \0 \ud800 *")
    await save_user_rules(database, OWNER, add(TEST), add(odd), add(asks("x"), position=9))
    assert await read_user_rules(database, OWNER) == (kept(odd), kept(TEST), kept(asks("x")))

    await save_user_rules(database, OWNER, MoveRule(rule_id=TEST.id, position=0), RemoveRule(rule_id=odd.id))
    assert await read_user_rules(database, OWNER) == (kept(TEST), kept(asks("x")))

    await save_user_rules(database, OWNER, RemoveRule(rule_id=TEST.id), RemoveRule(rule_id=asks("x").id))
    assert await read_user_rules(database, OWNER) == ()


async def test_a_change_of_which_a_part_is_refused_changes_nothing(store: Store, database: Database) -> None:
    with pytest.raises(NotFound):
        await save_user_rules(database, OWNER, add(TEST), RemoveRule(rule_id="gone"))

    assert await read_user_rules(database, OWNER) == ()


async def test_a_chats_rules_are_changed_by_a_transition_and_go_with_the_chat(
    store: Store, database: Database
) -> None:
    await create_chat(store, create())
    await transact(store, CHAT, ChangeRules(changes=(add(TEST),)), ChangeRules(changes=(add(asks("x")),)))
    assert await read_chat_rules(database, CHAT) == (kept(asks("x")), kept(TEST))
    stored = await read_everything(database, CHAT)
    assert stored is not None
    assert stored.rules == (kept(asks("x")), kept(TEST))

    await transact(store, CHAT, ChangeRules(changes=(RemoveRule(rule_id=asks("x").id),)))
    assert await read_chat_rules(database, CHAT) == (kept(TEST),)

    await delete_chat(store, CHAT)
    assert await read_chat_rules(database, CHAT) == ()


async def test_all_that_counts_for_a_call_is_read_at_once(store: Store, database: Database) -> None:
    await create_chat(store, create())
    await create_chat(store, create(chat_id="other"))
    assert await read_rules(database, OWNER, CHAT) == StoredRules()

    await save_user_rules(database, OWNER, add(asks("u")), add(TEST))
    await transact(store, CHAT, ChangeRules(changes=(add(asks("c")), add(denies("c")))))

    assert await read_rules(database, OWNER, CHAT) == StoredRules((TEST, asks("u")), (denies("c"), asks("c")))
    assert await read_rules(database, OWNER, ChatId("other")) == StoredRules((TEST, asks("u")), ())


async def test_an_answer_and_the_rules_it_makes_are_one_transaction(store: Store, database: Database) -> None:
    message_id = await a_waiting_chat(store)

    done = await transact(store, CHAT, decide(ApprovalScope.ALWAYS))

    (rule,) = await read_user_rules(database, OWNER)
    origin = Origin(chat_id=CHAT, message_id=message_id, call_id=CallId("a"))
    assert rule == KeptRule(rule=TEST, created_at=done.locked.now, created_by=OWNER, origin=origin)
    stored = await read_everything(database, CHAT)
    assert stored is not None
    assert [(each.state, each.decided_by) for each in stored.calls] == [(CallState.OPEN, OWNER)]

    await delete_chat(store, CHAT)
    assert await read_user_rules(database, OWNER) == (rule,)


async def test_an_answer_whose_rule_finds_no_room_does_not_count(store: Store, database: Database) -> None:
    await a_waiting_chat(store)
    await save_user_rules(database, OWNER, *(add(asks(f"tool {n}")) for n in range(RULES_MAX)))

    with pytest.raises(LimitReached):
        await transact(store, CHAT, decide(ApprovalScope.ALWAYS))

    stored = await read_everything(database, CHAT)
    assert stored is not None
    assert [each.state for each in stored.calls] == [CallState.NEEDS_APPROVAL]
    await transact(store, CHAT, decide(ApprovalScope.CHAT))
    assert [each.rule for each in await read_chat_rules(database, CHAT)] == [TEST]


async def test_what_a_person_is_asked_is_stored_with_the_call(store: Store, database: Database) -> None:
    await a_waiting_chat(store)

    stored = await read_everything(database, CHAT)

    assert stored is not None
    assert [each.request for each in stored.calls] == [asks_first("a", TEST).request]


@pytest.mark.parametrize("call_id", ["a", "odd \0 id"])
async def test_an_approval_must_name_the_message_where_an_earlier_call_had_the_same_id(
    store: Store, call_id: str
) -> None:
    await a_waiting_chat(store, call_id)
    first = decide(ApprovalScope.ONCE, call_id=call_id)
    again = step(says("", call(call_id, "execute")), plans=(asks_first(call_id, TEST),))
    denial = SubmitActions(
        actions=(Approval(call_id=CallId(call_id), decision=Decision.DENY),), decided_by=OWNER
    )
    done = await transact(store, CHAT, denial, again, RequireAction())

    with pytest.raises(NotAllowed, match="must name its message"):
        await transact(store, CHAT, first)

    newest = done.appended[-1].id
    done = await transact(store, CHAT, decide(ApprovalScope.ONCE, call_id=call_id, message_id=newest))
    assert [each.state for each in done.locked.calls] == [CallState.OPEN]
