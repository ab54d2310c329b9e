"""The decision table: which rule fires on which facts, and that the first one wins."""

import pytest
from msgspec.structs import replace

from chatd.domain.approvals.made_rules import Decision
from chatd.domain.call import CallState
from chatd.domain.chat import Reason, Status
from chatd.domain.ids import CallId, MessageId
from chatd.domain.message import Role, Usage
from chatd.domain.next_step import (
    Compact,
    Generate,
    Limits,
    NextStep,
    RunTools,
    Turn,
    next_step,
    read_turn,
)
from chatd.domain.transitions.calls.require_action import RequireAction
from chatd.domain.transitions.calls.submit_actions import Approval, Result, SubmitActions
from chatd.domain.transitions.turns.commit_step import CommitStep
from chatd.domain.transitions.turns.finish_turn import FinishTurn
from chatd.domain.transitions.turns.request_compaction import RequestCompaction
from tests.domain.chats import asking, calling, idle, running
from tests.support.model import ModelChat
from tests.traceability import proves
from tests.words import answers, asks_first, call, client_call, question, says, send, step, summary

# The model has 100 tokens of context and is summarized from 70 on.
LIMITS = Limits(steps_max=3, context_limit=100, exclusive_tools=frozenset({"alone"}))
FULL, ROOMY = Usage(input_tokens=70), Usage(input_tokens=69)


def decide(chat: ModelChat, limits: Limits = LIMITS) -> NextStep:
    return next_step(read_turn(chat.chat, chat.locked.calls, limits))


def tool_ids(decision: NextStep) -> list[str]:
    assert isinstance(decision, RunTools)
    return [call_.id for call_ in decision.calls]


def test_a_users_message_is_answered() -> None:
    assert decide(running()) == Generate()


def test_our_calls_are_run_first() -> None:
    chat = calling(call("a"), client_call("tab"), call("b"))

    assert tool_ids(decide(chat)) == ["a", "b"]


def test_then_the_client_is_asked() -> None:
    chat = calling(call("a"), client_call("tab"))
    chat.tell(step(answers("a")))

    assert decide(chat) == RequireAction()


def test_an_exclusive_call_voids_the_whole_batch() -> None:
    chat = calling(call("a", "alone"), client_call("tab"))

    assert tool_ids(decide(chat)) == ["a", "tab"]


# A tool that must be alone beside another call: neither needs approval, one of them, the other, both.
@pytest.mark.parametrize("alone_waits", [False, True])
@pytest.mark.parametrize("other", ["open", "needs approval", "denied", "of a client", "a question"])
def test_a_call_that_needs_approval_counts_as_one_of_its_batch(
    other: str,
    alone_waits: bool,  # noqa: FBT001 - a parameter of the test
) -> None:
    plans = {
        "needs approval": (asks_first("b"),),
        "denied": (replace(asks_first("b"), state=CallState.DENIED),),
        "a question": (question("b"),),
    }.get(other, ())
    second = client_call("b") if other == "of a client" else call("b")
    waits = (asks_first("a"),) if alone_waits else ()

    chat = calling(call("a", "alone"), second, plans=(*waits, *plans))

    assert tool_ids(decide(chat)) == ["a", "b"]


def test_an_exclusive_call_that_is_alone_waits_for_its_approval() -> None:
    assert decide(calling(call("a", "alone"), plans=(asks_first("a"),))) == RequireAction()


def test_a_providers_call_does_not_void_an_exclusive_one() -> None:
    chat = calling(call("a", "alone"), call("s", "web_search", provider=True), plans=(asks_first("a"),))

    assert decide(chat) == RequireAction()


def test_calls_that_need_no_approval_run_before_a_person_is_asked() -> None:
    chat = calling(call("a"), call("b"), call("c"), plans=(asks_first("b"),))
    assert tool_ids(decide(chat)) == ["a", "c"]

    chat.tell(step(answers("a"), answers("c")))

    assert decide(chat) == RequireAction()


def test_an_allowed_call_runs_when_the_chat_waits_for_nothing_else() -> None:
    chat = asking(call("a"), client_call("tab"), plans=(asks_first("a"),))

    chat.tell(SubmitActions(actions=(Approval(call_id=CallId("a"), decision=Decision.ALLOW),)))
    assert chat.chat.status is Status.REQUIRES_ACTION

    chat.tell(SubmitActions(actions=(Result(call_id=CallId("tab"), output=1),)))
    assert tool_ids(decide(chat)) == ["a"]


def test_a_person_is_asked_before_a_call_runs() -> None:
    chat = calling(call("a"), plans=(asks_first("a"),))
    assert decide(chat) == RequireAction()

    chat.tell(RequireAction())
    allowed = Approval(call_id=chat.locked.calls[0].id, decision=Decision.ALLOW)
    chat.tell(SubmitActions(actions=(allowed,)))

    assert tool_ids(decide(chat)) == ["a"]


def test_a_denied_call_is_ours_to_answer() -> None:
    chat = calling(call("a"), plans=(replace(asks_first("a"), state=CallState.DENIED),))

    assert tool_ids(decide(chat)) == ["a"]


def test_results_lead_to_the_next_reply() -> None:
    chat = calling(call("a"))
    chat.tell(step(answers("a")))

    assert decide(chat) == Generate()


def test_a_reply_without_calls_ends_the_turn() -> None:
    chat = running()
    chat.tell(step(says("hi")))

    assert decide(chat) == FinishTurn(reason=Reason.COMPLETE)


def test_a_tool_that_stops_ends_the_turn() -> None:
    chat = calling(call("plan"))
    chat.tell(step(answers("plan", ends_turn=True)))

    assert decide(chat) == FinishTurn(reason=Reason.STOP_AFTER_TOOL)


def test_a_new_message_starts_afresh_after_a_tool_that_stopped() -> None:
    chat = calling(call("plan"))
    chat.tell(step(answers("plan", ends_turn=True)))
    chat.tell(FinishTurn())
    chat.tell(send("go on"))

    assert decide(chat) == Generate()


@proves("worker", 48)
def test_a_turn_has_a_limit_of_steps() -> None:
    chat = running()
    for n in range(3):
        chat.tell(step(says("again", call(f"{n}"))))
        chat.tell(step(answers(f"{n}")))

    assert decide(chat) == FinishTurn(reason=Reason.MAX_STEPS)
    assert decide(chat, Limits(steps_max=4)) == Generate()


@proves("tools", 78)
def test_unless_it_is_set_otherwise_the_limit_is_1200_steps() -> None:
    chat = running()
    chat.tell(step(says("again", call("a"))))
    chat.tell(step(answers("a")))

    def after(steps: int) -> NextStep:
        told = replace(chat.chat, projection=replace(chat.chat.projection, steps=steps))
        return next_step(read_turn(told, (), Limits()))

    assert (after(1199), after(1200)) == (Generate(), FinishTurn(reason=Reason.MAX_STEPS))


def test_summaries_do_not_count_as_steps() -> None:
    chat = running()
    chat.tell(step(says("one", call("a"))))
    chat.tell(step(answers("a")))
    for _ in range(3):
        chat.tell(step(*summary("so far")))

    assert decide(chat) == Generate()


def full_chat(usage: Usage = FULL) -> ModelChat:
    chat = running()
    chat.tell(step(says("long", call("a"), usage=usage)))
    chat.tell(step(answers("a")))
    return chat


@proves("loop", 29)
@pytest.mark.parametrize(
    ("usage", "limits", "expected"),
    [
        (FULL, LIMITS, Compact(requested=False)),
        (ROOMY, LIMITS, Generate()),
        (Usage(total_tokens=70), LIMITS, Compact(requested=False)),
        (Usage(cache_read_tokens=40, cache_creation_tokens=30), LIMITS, Compact(requested=False)),
        (Usage(input_tokens=70, context_limit=1000), replace(LIMITS, context_limit=0), Generate()),
        (FULL, replace(LIMITS, compact_at_percent=100), Generate()),
        (FULL, replace(LIMITS, context_limit=0), Generate()),
    ],
    ids=["full", "roomy", "only a total", "cached", "only the provider knows", "switched off", "unknown"],
)
def test_a_full_context_is_summarized_before_the_next_reply(
    usage: Usage, limits: Limits, expected: NextStep
) -> None:
    assert decide(full_chat(usage), limits) == expected


@proves("loop", 32)
def test_a_full_context_is_left_alone_when_the_turn_is_over() -> None:
    chat = running()
    chat.tell(step(says("the end", usage=FULL)))

    assert decide(chat) == FinishTurn(reason=Reason.COMPLETE)


@proves("loop", 33)
def test_after_a_summary_the_agent_goes_on() -> None:
    chat = full_chat()
    chat.tell(step(*summary("so far")))

    assert decide(chat) == Generate()


def compacted_then(usage: Usage, then: Usage) -> ModelChat:
    """A summary, and two replies after it that report this usage."""
    chat = full_chat()
    chat.tell(step(*summary("so far")))
    for n, reported in enumerate((usage, then)):
        chat.tell(step(says("more", call(f"{n}"), usage=reported)))
        chat.tell(step(answers(f"{n}")))
    return chat


def test_a_context_that_fills_up_again_is_summarized_again() -> None:
    chat = compacted_then(ROOMY, FULL)

    assert decide(chat, replace(LIMITS, steps_max=9)) == Compact(requested=False)


@pytest.mark.parametrize("percent", [0, 10, 70])
@pytest.mark.parametrize(("said", "expected"), [(9, Generate()), (10, Compact(requested=False))])
def test_a_threshold_below_what_every_prompt_begins_with_summarizes_now_and_then(
    percent: int, said: int, expected: NextStep
) -> None:
    """Of 1,000 tokens the tools and the summary take 800: a summary makes no room, and ends no turn."""
    chat = full_chat().chat
    known = replace(
        chat.projection,
        boundary=MessageId(1),
        first_prompt_tokens=800,
        prompt_tokens=800 + said * 10,
        estimated_tokens=800 + said * 10,
    )
    limits = Limits(context_limit=1000, compact_at_percent=percent)

    assert next_step(read_turn(replace(chat, projection=known), (), limits)) == expected


def test_one_long_message_after_a_summary_is_no_reason_to_give_up() -> None:
    chat = full_chat()
    chat.tell(step(*summary("so far")))
    chat.tell(step(says("done")), FinishTurn())
    chat.tell(send("word " * 40))
    chat.tell(step(says("more", call("b"), usage=FULL)))
    chat.tell(step(answers("b")))

    # Of the 70 tokens of the first prompt after the summary, most were the message.
    assert chat.chat.projection.first_prompt_tokens < 30
    assert decide(chat, replace(LIMITS, steps_max=9)) == Compact(requested=False)


def test_nothing_is_summarized_when_nothing_followed_the_summary() -> None:
    assert next_step(Turn(too_long=True)) == Generate()


def test_a_requested_summary_comes_before_the_end_of_the_turn() -> None:
    chat = idle()
    chat.tell(RequestCompaction())
    assert decide(chat) == Compact(requested=True)

    chat.tell(CommitStep(messages=summary("so far"), consumes_request=True))
    assert decide(chat) == FinishTurn(reason=Reason.COMPLETE)


@proves("loop", 28)
@pytest.mark.parametrize(
    ("usage", "limits"),
    [
        (ROOMY, LIMITS),
        (Usage(), LIMITS),
        (FULL, replace(LIMITS, compact_at_percent=100)),
        (FULL, replace(LIMITS, context_limit=0)),
    ],
    ids=["below the threshold", "no usage", "switched off", "unknown limit"],
)
def test_where_nothing_is_summarized_by_itself_a_request_does_it(usage: Usage, limits: Limits) -> None:
    chat = full_chat(usage)
    requested = replace(chat.chat, compaction_requested_at=chat.locked.now)

    assert decide(chat, limits) == Generate()
    assert next_step(read_turn(requested, chat.locked.calls, limits)) == Compact(requested=True)


def test_open_calls_come_before_a_requested_summary() -> None:
    chat = calling(call("a"))
    requested = replace(chat.chat, compaction_requested_at=chat.locked.now)

    assert isinstance(next_step(read_turn(requested, chat.locked.calls, LIMITS)), RunTools)


def test_a_chat_that_waits_for_a_person_is_not_summarized() -> None:
    chat = asking(call("a"), plans=(asks_first("a"),))

    assert decide(chat) == RequireAction()


def test_the_first_rule_that_fits_wins() -> None:
    chat = calling(call("a"))
    everything = Turn(
        our_calls=chat.locked.calls,
        waits_for_action=True,
        compaction_requested=True,
        ending=True,
        last_speaker=Role.ASSISTANT,
        steps_left=0,
        too_long=True,
        has_older_to_compact=True,
        replied_since_summary=True,
    )

    decisions: list[NextStep] = []
    for spent in ({}, {"our_calls": ()}, {"waits_for_action": False}, {"compaction_requested": False},
                  {"ending": False}, {"last_speaker": Role.USER}, {"steps_left": 1},
                  {"has_older_to_compact": False}):  # fmt: skip
        everything = replace(everything, **spent)
        decisions.append(next_step(everything))

    assert decisions == [
        RunTools(chat.locked.calls),
        RequireAction(),
        Compact(requested=True),
        FinishTurn(reason=Reason.STOP_AFTER_TOOL),
        FinishTurn(reason=Reason.COMPLETE),
        FinishTurn(reason=Reason.MAX_STEPS),
        Compact(requested=False),
        Generate(),
    ]


def test_a_larger_model_gets_its_chance_after_a_smaller_one_was_full() -> None:
    chat = compacted_then(
        Usage(input_tokens=90, context_limit=100), Usage(input_tokens=95, context_limit=100)
    )

    assert decide(chat, Limits(context_limit=1_000_000)) == Generate()


@pytest.mark.parametrize(
    ("tokens", "first", "expected"),
    [
        (69, 0, Generate()),
        (70, 0, Compact(requested=False)),
        # Even a summary was too long for whoever sums up: the model's own limit counts, and is not reached.
        (75, 75, Generate()),
        (700, 75, Compact(requested=False)),
    ],
)
def test_the_summarizer_must_be_able_to_read_it_unless_no_summary_is_short_enough(
    tokens: int, first: int, expected: NextStep
) -> None:
    chat = full_chat(Usage(input_tokens=tokens)).chat
    known = replace(
        chat.projection,
        first_prompt_tokens=first,
        boundary=MessageId(1) if first else MessageId(0),
        estimated_tokens=tokens,
    )
    limits = Limits(context_limit=1000, summarizer_limit=100)

    assert next_step(read_turn(replace(chat, projection=known), (), limits)) == expected


def test_a_result_that_would_not_fit_is_summarized_before_it_is_sent() -> None:
    chat = running()
    chat.tell(step(says("long", call("a"), usage=Usage(input_tokens=10))))
    chat.tell(step(answers("a", "word " * 1000)))

    assert decide(chat, Limits(context_limit=1000)) == Compact(requested=False)


def test_a_reply_that_was_as_long_as_it_may_be_ends_the_turn_and_says_so() -> None:
    chat = running()
    chat.tell(step(replace(says("Once upon"), cut_off=True)))

    assert decide(chat) == FinishTurn(reason=Reason.MAX_TOKENS)


def test_calls_of_a_reply_that_was_cut_off_are_answered_and_the_turn_goes_on() -> None:
    chat = running()
    chat.tell(step(replace(says("Let me", call("a")), cut_off=True)))
    chat.tell(step(answers("a")))

    assert decide(chat) == Generate()


def test_a_reply_that_is_only_half_of_one_is_gone_on_with() -> None:
    assert next_step(Turn(last_speaker=Role.ASSISTANT, paused=True)) == Generate()
    assert next_step(Turn(last_speaker=Role.ASSISTANT, paused=True, steps_left=0)) == FinishTurn(
        reason=Reason.MAX_STEPS
    )
