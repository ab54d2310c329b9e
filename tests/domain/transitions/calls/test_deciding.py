"""A person's decisions beyond a single call, and calls that are judged once more."""

import pytest

from chatd.domain.approvals.made_rules import Decision
from chatd.domain.approvals.rule import AddRule, ApprovalScope, KeptRule, Origin, Rule
from chatd.domain.call import CallResult, CallState, Effect, Plan
from chatd.domain.chat import Status
from chatd.domain.ids import CallId, MessageId, Micros, UserId
from chatd.domain.part import Part, ToolResult
from chatd.domain.transitions.calls.finish_call import FinishCall
from chatd.domain.transitions.calls.judge_calls import JudgeCalls
from chatd.domain.transitions.calls.require_action import RequireAction
from chatd.domain.transitions.calls.start_calls import StartCalls
from chatd.domain.transitions.calls.submit_actions import Approval, SubmitActions
from chatd.domain.transitions.chat.change_rules import ChangeRules
from chatd.domain.transitions.ownership.acquire import Acquire
from chatd.errors import BadInput, NotAllowed
from tests.domain.chats import CALLING, asking, calling
from tests.support.model import ModelChat
from tests.words import (
    OWNER,
    allows,
    answers,
    asks_first,
    call,
    client_call,
    denies,
    lease,
    plan,
    says,
    step,
)

TEST, STATUS = allows(words="npm test"), allows(words="git status")
BOTH = (ApprovalScope.CHAT, ApprovalScope.ALWAYS)


def decide(
    call_id: str,
    decision: Decision = Decision.ALLOW,
    scope: ApprovalScope = ApprovalScope.ONCE,
    *,
    by: UserId = OWNER,
    message_id: MessageId | None = None,
) -> SubmitActions:
    approval = Approval(
        call_id=CallId(call_id), message_id=message_id, decision=decision, scope=scope, reason="because"
    )
    return SubmitActions(actions=(approval,), decided_by=by)


def waiting(**rules: tuple[Rule, ...]) -> ModelChat:
    """A chat that waits for these calls, whose answers would make these rules."""
    parts: list[Part] = [call(name, "execute") for name in rules]
    return asking(*parts, plans=tuple(asks_first(name, *each) for name, each in rules.items()))


def states(chat: ModelChat) -> dict[str, CallState]:
    return {call_id: each.state for (_, call_id), each in chat.calls.items()}


def rules_of(chat: ModelChat) -> list[Rule]:
    return [kept.rule for kept in chat.locked.rules or ()]


def test_an_answer_for_the_chat_puts_its_rules_in_front_of_the_chats_own_with_where_they_come_from() -> None:
    chat = waiting(a=(TEST,))
    chat.tell(ChangeRules(changes=(AddRule(kept=KeptRule(rule=STATUS, created_at=Micros(1))),)))

    (outcome,) = chat.tell(decide("a", scope=ApprovalScope.CHAT))

    assert rules_of(chat) == [TEST, STATUS]
    assert outcome.user_rules == ()
    assert outcome.rules is not None
    origin = Origin(chat_id=chat.chat.id, message_id=CALLING, call_id=CallId("a"))
    assert outcome.rules[0] == KeptRule(
        rule=TEST, created_at=chat.locked.now, created_by=OWNER, origin=origin
    )
    assert states(chat) == {"a": CallState.OPEN}


def test_an_answer_for_always_is_for_the_rules_of_the_owner() -> None:
    chat = waiting(a=(TEST,))

    (outcome,) = chat.tell(decide("a", scope=ApprovalScope.ALWAYS))

    assert [each.kept.rule for each in outcome.user_rules] == [TEST]
    assert outcome.rules is None


def test_an_answer_that_counts_once_makes_no_rule() -> None:
    chat = waiting(a=(TEST,))

    (outcome,) = chat.tell(decide("a"))

    assert (outcome.rules, outcome.user_rules) == (None, ())


def test_only_the_owner_decides_for_always() -> None:
    chat = waiting(a=(TEST,))

    with pytest.raises(NotAllowed, match="Only the owner"):
        chat.tell(decide("a", scope=ApprovalScope.ALWAYS, by=UserId("ann")))
    chat.tell(decide("a", scope=ApprovalScope.CHAT, by=UserId("ann")))


@pytest.mark.parametrize("scope", BOTH)
def test_a_call_of_which_no_rule_can_be_made_is_decided_once(scope: ApprovalScope) -> None:
    chat = waiting(a=())

    with pytest.raises(BadInput, match="only once") as refusal:
        chat.tell(decide("a", scope=scope))

    assert refusal.value.code == "no_rule"
    assert states(chat) == {"a": CallState.NEEDS_APPROVAL}


def test_a_scope_that_the_request_does_not_offer_is_refused() -> None:
    chat = asking(call("a"), plans=(asks_first("a", TEST, scopes=(ApprovalScope.ALWAYS,)),))

    with pytest.raises(BadInput, match="this chat"):
        chat.tell(decide("a", scope=ApprovalScope.CHAT))


def test_a_denial_for_the_chat_denies_the_next_one_too() -> None:
    chat = waiting(a=(TEST,))

    chat.tell(decide("a", Decision.DENY, ApprovalScope.CHAT))

    assert rules_of(chat) == [denies(words="npm test")]
    assert states(chat) == {"a": CallState.ANSWERED}


def test_a_denial_of_several_things_at_once_makes_no_rule() -> None:
    chat = waiting(a=(TEST, STATUS))

    with pytest.raises(BadInput, match="several things"):
        chat.tell(decide("a", Decision.DENY, ApprovalScope.CHAT))


@pytest.mark.parametrize("scope", BOTH)
def test_calls_that_wait_for_the_very_same_rules_are_settled_by_them(scope: ApprovalScope) -> None:
    chat = waiting(a=(TEST, STATUS), same=(STATUS, TEST), part=(TEST,), more=(TEST, allows(words="rm x")))

    chat.tell(decide("a", scope=scope))

    assert states(chat) == {
        "a": CallState.OPEN,
        "same": CallState.OPEN,
        "part": CallState.OPEN,
        "more": CallState.NEEDS_APPROVAL,
    }
    assert chat.chat.status is Status.REQUIRES_ACTION
    assert {each.decided_by for each in chat.locked.calls} == {OWNER, None}


def test_calls_that_wait_for_what_is_denied_now_are_denied_as_well() -> None:
    chat = waiting(a=(TEST,), same=(TEST,), more=(STATUS, TEST), other=(STATUS,))

    chat.tell(decide("a", Decision.DENY, ApprovalScope.ALWAYS))

    assert states(chat) == {
        "a": CallState.ANSWERED,
        "same": CallState.ANSWERED,
        "more": CallState.ANSWERED,
        "other": CallState.NEEDS_APPROVAL,
    }


def test_an_answer_that_counts_once_settles_no_other_call() -> None:
    chat = waiting(a=(TEST,), same=(TEST,))

    chat.tell(decide("a"))

    assert states(chat) == {"a": CallState.OPEN, "same": CallState.NEEDS_APPROVAL}


def test_a_call_to_which_the_new_rules_do_not_reach_goes_on_waiting() -> None:
    asked_by_the_user = asks_first("b", TEST, scopes=(ApprovalScope.ALWAYS,))
    chat = asking(call("a"), call("b"), plans=(asks_first("a", TEST), asked_by_the_user))

    chat.tell(decide("a", scope=ApprovalScope.CHAT))

    assert states(chat) == {"a": CallState.OPEN, "b": CallState.NEEDS_APPROVAL}


def a_second_call_of_the_same_id() -> ModelChat:
    chat = asking(call("a"), plans=(asks_first("a", TEST),))
    chat.tell(decide("a", Decision.DENY))
    chat.tell(step(says("again", call("a")), plans=(asks_first("a", TEST),)))
    chat.tell(RequireAction())
    return chat


def test_an_approval_counts_for_the_call_of_the_message_that_it_names() -> None:
    chat = a_second_call_of_the_same_id()
    newest = chat.locked.calls[0].message_id

    with pytest.raises(NotAllowed, match="is over"):
        chat.tell(decide("a", message_id=CALLING))
    chat.tell(decide("a", message_id=newest))

    assert states(chat)["a"] is CallState.OPEN
    assert chat.calls[CALLING, "a"].state is CallState.ANSWERED


def test_an_approval_without_a_message_is_refused_where_an_earlier_call_had_the_same_id() -> None:
    chat = a_second_call_of_the_same_id()

    with pytest.raises(NotAllowed, match="must name its message") as refusal:
        chat.tell(decide("a"))

    assert refusal.value.code == "ambiguous_call"


def denied(call_id: str) -> Plan:
    return Plan(call_id=CallId(call_id), state=CallState.DENIED, reason="The rules say no.")


def judged(*plans: Plan) -> JudgeCalls:
    return JudgeCalls(message_id=CALLING, plans=plans)


def test_a_call_that_may_not_run_any_more_is_denied_or_asked_for() -> None:
    chat = calling(call("a"), call("b"), call("c"))

    chat.tell(judged(denied("a"), asks_first("b", TEST)))

    assert states(chat) == {"a": CallState.DENIED, "b": CallState.NEEDS_APPROVAL, "c": CallState.OPEN}
    assert chat.calls[CALLING, "a"].reason == "The rules say no."
    request = chat.calls[CALLING, "b"].request
    assert request is not None
    assert request.rules == (TEST,)


def test_a_person_is_not_asked_again_for_what_they_allowed_but_a_rule_may_deny_it() -> None:
    chat = waiting(a=(TEST,))
    chat.tell(decide("a"))

    with pytest.raises(NotAllowed, match="has decided"):
        chat.tell(judged(asks_first("a", TEST)))
    chat.tell(judged(denied("a")))

    assert states(chat) == {"a": CallState.DENIED}


@pytest.mark.parametrize("effect", [Effect.REPEATABLE, Effect.ONCE])
def test_a_call_that_was_begun_is_denied_only_if_it_would_run_again(effect: Effect) -> None:
    chat = calling(call("a"), plans=(plan("a", effect),))
    chat.tell(StartCalls(message_id=CALLING, call_ids=(CallId("a"),)))

    with pytest.raises(NotAllowed):
        chat.tell(judged(asks_first("a")))
    if effect is Effect.ONCE:
        with pytest.raises(NotAllowed):
            chat.tell(judged(denied("a")))
    else:
        chat.tell(judged(denied("a")))
        assert states(chat) == {"a": CallState.DENIED}


def test_the_runner_that_noted_a_start_may_find_before_it_begins_that_a_person_has_to_be_asked() -> None:
    chat = calling(call("a"), call("b"))
    chat.tell(Acquire(lease=lease(runner="first")))
    chat.tell(StartCalls(message_id=CALLING, call_ids=(CallId("a"), CallId("b"))))
    chat.tell(judged(asks_first("a", TEST)))
    asked = chat.calls[CALLING, "a"]
    chat.tell(Acquire(lease=lease(runner="second")))

    with pytest.raises(NotAllowed):
        chat.tell(judged(asks_first("b", TEST)))
    assert (asked.state, asked.runner_id, asked.started_at) == (CallState.NEEDS_APPROVAL, None, None)


def test_only_open_calls_of_ours_are_judged() -> None:
    chat = calling(call("a"), client_call("tab"))
    chat.tell(FinishCall(message_id=CALLING, call_id=CallId("a"), result=CallResult(result=1)))

    with pytest.raises(NotAllowed):
        chat.tell(judged(denied("a")))
    for name in ("tab", "unknown"):
        with pytest.raises(BadInput):
            chat.tell(judged(denied(name)))


def test_what_a_person_was_asked_is_kept_with_the_call_for_good() -> None:
    chat = waiting(a=(TEST,))
    chat.tell(decide("a"))
    chat.tell(step(answers("a")))

    kept = chat.calls[CALLING, "a"]
    assert kept.request is not None
    assert (kept.state, kept.decided_by, kept.reason, kept.request.rules) == (
        CallState.ANSWERED,
        OWNER,
        "because",
        (TEST,),
    )


def test_a_denial_tells_the_model_the_reason() -> None:
    chat = waiting(a=(TEST,))
    chat.tell(decide("a", Decision.DENY))

    (part,) = chat.history[-1].content
    assert isinstance(part, ToolResult)
    assert (part.is_error, part.result) == (True, "The user did not allow this call: because")
