"""Calls that are judged by rules: allowed, denied or asked for; and answers that reach further than once."""

import asyncio

import pytest

from chatd.agent.approvals.judging import (
    INLINE_CHARACTERS_MAX,
    PREVIEW_CHARACTERS_MAX,
    PREVIEWS_SECONDS,
    _judge,
)
from chatd.agent.calls.run_tools import PARALLEL_MAX
from chatd.approvals.judge import Proposal, Rules, judge
from chatd.domain.approvals.made_rules import Decision
from chatd.domain.approvals.rule import ApprovalScope, RemoveRule, RuleChange, Touches
from chatd.domain.call import CallState, Effect
from chatd.domain.chat import Reason
from chatd.domain.ids import CallId, ChatId, MessageId
from chatd.domain.part import ToolCall
from chatd.domain.transitions.calls.start_calls import StartCalls
from chatd.domain.transitions.messages.edit_message import EditMessage
from chatd.domain.transitions.turns.interrupt import Interrupt
from chatd.kit.clock import rfc3339
from chatd.storage.tables.rules import read_user_rules, save_user_rules
from chatd.worker.worker import LOOK_SECONDS
from tests.traceability import proves
from tests.words import OWNER, allows, asks, denies, plan, said, says, step
from tests.words import call as call_part
from tests.worker.worlds.judging import Judging, execute, kept, play

OTHER = ChatId("other")
MINUTE = 60

ASKS = f"{execute('npm test')}\nnext\nsay Done."


def test_a_command_is_asked_for_and_the_chat_waits_without_a_worker_or_a_deadline() -> None:
    async def story(world: Judging) -> None:
        await world.open(ASKS)
        (waiting,) = await world.until_asked()
        before = (await world.stored()).chat
        await world.clock.sleep(10 * MINUTE)

        chat = (await world.stored()).chat
        assert (chat.lease, chat.deadline_at, chat) == (None, None, before)
        assert world.witness.lines == []
        assert waiting.request is not None
        assert waiting.request.programs == (("npm", "test"),)
        assert waiting.request.scopes == (ApprovalScope.CHAT, ApprovalScope.ALWAYS)
        assert [str(rule) for rule in waiting.request.rules] == [
            "allow calls of `execute` for the program `npm test` in the workspace /srv/project"
        ]

    play(story)


def test_an_allowed_call_runs_once_and_the_next_one_is_asked_for_again() -> None:
    async def story(world: Judging) -> None:
        await world.open(ASKS)
        await world.until_asked()
        await world.answer()
        await world.until_idle()
        assert world.witness.lines == ["execute a"]

        await world.send(execute("npm test", "b"))
        assert [c.id for c in await world.until_asked()] == ["b"]

    play(story)


def test_viewers_learn_that_an_allowed_call_runs_when_it_begins_and_not_before() -> None:
    async def story(world: Judging) -> None:
        await world.open(ASKS)
        await world.until_asked()
        assert world.live_pieces() == []
        await world.clock.sleep(10 * MINUTE)
        allowed_at = rfc3339(world.clock.now_micros())
        await world.answer()
        await world.until(lambda _: bool(world.live_pieces()))

        began = world.live_pieces()[0]
        assert (began.tool_call_id, began.result_delta) == ("a", "")
        assert began.started_at is not None
        assert began.started_at >= allowed_at

    play(story)


def test_an_answer_for_the_chat_counts_in_this_chat_alone() -> None:
    async def story(world: Judging) -> None:
        await world.open(ASKS)
        await world.until_asked()
        await world.answer(scope=ApprovalScope.CHAT)
        await world.until_idle()
        await world.send(f"{execute('npm test', 'b')}\nnext\nsay Again.")
        await world.until_idle()
        assert world.witness.lines == ["execute a", "execute b"]

        await world.open(ASKS, OTHER)
        await world.until_asked(OTHER)

    play(story)


def test_an_answer_for_always_counts_in_every_chat_of_the_user() -> None:
    async def story(world: Judging) -> None:
        await world.open(ASKS)
        await world.until_asked()
        await world.answer(scope=ApprovalScope.ALWAYS)
        await world.until_idle()

        await world.open(ASKS, OTHER)
        await world.until_idle(OTHER)

        assert world.witness.lines == ["execute a", "execute a"]
        assert [str(each.rule) for each in await read_user_rules(world.db, OWNER)] == [
            "allow calls of `execute` for the program `npm test` in the workspace /srv/project"
        ]

    play(story)


def test_the_model_reads_why_a_person_said_no_and_goes_on() -> None:
    async def story(world: Judging) -> None:
        await world.open(ASKS)
        await world.until_asked()
        await world.answer(decision=Decision.DENY, reason="Use make.")
        await world.until_idle()

        assert await world.results() == {"a": "The user did not allow this call: Use make."}
        assert (await world.transcript())[-1] == "assistant: Done."
        assert world.witness.lines == []

    play(story)


def test_what_a_rule_denies_is_not_asked_for_and_the_model_reads_why() -> None:
    async def story(world: Judging) -> None:
        await world.open(f"{execute('git status; rm -rf x')}\nnext\nsay Then not.")
        await world.until_idle()

        assert await world.results() == {"a": {"error": "The rules of this server do not allow `rm -rf x`."}}
        assert world.witness.lines == []

    play(story, rules=Rules(deployment=(denies(words="rm *"), allows(words="git status *"))))


def test_where_asking_is_turned_off_commands_run_and_rules_that_deny_still_count() -> None:
    async def story(world: Judging) -> None:
        await world.open(f"{execute('npm test')}\n{execute('rm x', 'b')}\nnext\nsay Done.")
        await world.until_idle()

        assert world.witness.lines == ["execute a"]

    play(story, rules=Rules(asks=False, deployment=(denies(words="rm *"),)))


@pytest.mark.parametrize("tool", ["silent", "broken"])
def test_a_tool_that_does_not_tell_what_it_touches_is_asked_for(tool: str) -> None:
    async def story(world: Judging) -> None:
        await world.open(f"call @a {tool}\nnext\nsay Done.")
        (waiting,) = await world.until_asked()

        assert waiting.request is not None
        assert [rule.tool for rule in waiting.request.rules] == [tool]

    play(story)


@proves("tools", 6)
@pytest.mark.parametrize(
    "script",
    [
        'call @a execute raw {"command":',
        'call @a execute {"cmd": "ls"}',
        "call @a nothing",
        "call @a Execute {}",
    ],
)
def test_no_person_is_asked_for_a_call_that_cannot_run(script: str) -> None:
    async def story(world: Judging) -> None:
        await world.open(f"{script}\nnext\nsay Oh.")
        await world.until_idle()

        assert list(await world.results()) == ["a"]
        assert world.witness.lines == []

    play(story)


def test_what_needs_no_approval_runs_first_and_its_result_is_not_held_back() -> None:
    async def story(world: Judging) -> None:
        await world.open(f"{execute('npm test')}\ncall @b launch\nnext\nsay Done.")
        await world.until_asked()
        assert list(await world.results()) == ["b"]

        await world.answer()
        await world.until_idle()
        assert world.witness.lines == ["launch b", "execute a"]

    play(story)


@proves("tools", 9)
@pytest.mark.parametrize("other", [execute("npm test"), 'call @a echo {"text": "x"}'])
def test_beside_a_tool_that_must_be_alone_no_person_is_asked(other: str) -> None:
    async def story(world: Judging) -> None:
        await world.open(f"{other}\ncall @b proud\nnext\nsay Oh.")
        await world.until_idle()

        results = await world.results()
        assert "proud must be the only call" in results["a"]["error"]
        assert "Call it again, alone." in results["b"]["error"]
        assert world.witness.lines == []

    play(story)


def test_a_tool_that_must_be_alone_is_asked_for_when_it_is() -> None:
    async def story(world: Judging) -> None:
        await world.open("call @a proud\nnext\nsay Done.")
        await world.until_asked()
        await world.answer()
        await world.until_idle()

        assert world.witness.lines == ["proud a"]

    play(story)


def test_a_person_is_shown_what_would_change() -> None:
    async def story(world: Judging) -> None:
        await world.open('call @a write {"path": "src/a.py"}')
        (waiting,) = await world.until_asked()

        assert waiting.request is not None
        assert (waiting.request.preview, waiting.request.writes) == ("+ src/a.py ", ("src/a.py",))

    play(story)


@pytest.mark.parametrize(("path", "shown"), [("raises", None), ("long", PREVIEW_CHARACTERS_MAX)])
def test_a_preview_that_fails_or_is_long_does_not_stand_in_the_way(path: str, shown: int | None) -> None:
    async def story(world: Judging) -> None:
        await world.open(f'call @a write {{"path": "{path}"}}')
        (waiting,) = await world.until_asked()

        assert waiting.request is not None
        assert (waiting.request.preview and len(waiting.request.preview)) == shown

    play(story)


def test_all_previews_of_a_reply_have_a_time_together() -> None:
    async def story(world: Judging) -> None:
        world.preview_seconds = PREVIEWS_SECONDS * 0.6
        await world.open(
            'call @a write {"path": "a"}\ncall @b write {"path": "b"}\ncall @c write {"path": "c"}'
        )
        waiting = await world.until_asked()

        assert [c.request and c.request.preview for c in waiting] == ["+ a ", None, None]

    play(story)


def test_beside_a_command_the_message_tells_its_programs() -> None:
    async def story(world: Judging) -> None:
        await world.open(
            f"{execute('FOO=1 git commit -m x && timeout 5 ls -l | wc')}\n{execute('eval $x', 'b')}"
        )
        await world.until_asked()

        parts = [p for m in (await world.stored()).messages for p in m.content if isinstance(p, ToolCall)]
        assert [part.parsed_commands for part in parts] == [(("git", "commit"), ("ls",), ("wc",)), None]

    play(story)


def test_a_long_command_is_judged_in_a_thread_and_the_same_way() -> None:
    long = Proposal(tool="execute", touches=Touches(commands=(f"ls; rm {'x ' * INLINE_CHARACTERS_MAX}",)))
    rules = Rules(user=(denies(words="rm *"),))

    assert asyncio.run(_judge(rules, long)) == judge(rules, long)


def test_a_stop_closes_a_call_that_waits_and_it_never_ran() -> None:
    async def story(world: Judging) -> None:
        await world.open(ASKS)
        await world.until_asked()
        await world.tell(Interrupt())
        chat = await world.until_idle()

        assert chat.finish_reason is Reason.INTERRUPTED
        assert await world.results() == {"a": "The user stopped the agent. It did not run."}
        assert world.witness.lines == []

    play(story)


def test_an_edit_leaves_the_call_that_waits_behind() -> None:
    async def story(world: Judging) -> None:
        await world.open(ASKS)
        await world.until_asked()
        await world.tell(EditMessage(message_id=MessageId(1), content=said("say Instead.")))
        await world.until_idle()

        assert await world.transcript() == ["user: say Instead.", "assistant: Instead."]
        assert (await world.states()) == {"a": CallState.NEEDS_APPROVAL}

    play(story)


def test_what_a_person_is_asked_survives_a_restart_and_the_answer_counts() -> None:
    async def story(world: Judging) -> None:
        async with world.working():
            await world.open(ASKS)
            before = await world.until_asked()
        async with world.working():
            await world.clock.sleep(2 * LOOK_SECONDS)
            assert await world.until_asked() == before
            await world.answer()
            await world.until_idle()

        assert world.witness.lines == ["execute a"]

    play(story, workers=0)


@pytest.mark.parametrize("scope", list(ApprovalScope))
def test_a_rule_that_denies_counts_also_against_a_call_that_was_approved_before_it_began(
    scope: ApprovalScope,
) -> None:
    async def story(world: Judging) -> None:
        async with world.working():
            await world.open(ASKS)
            await world.until_asked()
        await world.answer(scope=scope)
        await save_user_rules(world.db, OWNER, kept(denies(words="npm *")))
        async with world.working():
            await world.until_idle()

        assert world.witness.lines == []
        assert await world.results() == {"a": {"error": "The rules of the user do not allow `npm test`."}}

    play(story, workers=0)


async def with_an_open_call(world: Judging, effect: Effect = Effect.ONCE) -> MessageId:
    """The reply was committed, and the process ended before the tool began."""
    await world.open("say Oh.")
    reply = says("", call_part("a", "execute", {"command": "npm test"}))
    done = await world.tell(step(reply, plans=(plan("a", effect),)))
    return done.appended[0].id


def test_a_call_that_no_rule_allows_any_more_is_asked_for_before_it_begins() -> None:
    async def story(world: Judging) -> None:
        await with_an_open_call(world)
        async with world.working():
            (waiting,) = await world.until_asked()
            assert waiting.request is not None
            assert waiting.request.programs == (("npm", "test"),)
            await world.answer()
            await world.until_idle()

        assert world.witness.lines == ["execute a"]

    play(story, workers=0)


def test_a_call_that_a_rule_still_allows_just_runs_after_a_restart() -> None:
    async def story(world: Judging) -> None:
        await save_user_rules(world.db, OWNER, kept(allows(words="npm *")))
        await with_an_open_call(world)
        async with world.working():
            await world.until_idle()

        assert world.witness.lines == ["execute a"]

    play(story, workers=0)


def test_a_call_that_was_begun_and_would_run_again_is_denied_if_the_rules_say_so_now() -> None:
    async def story(world: Judging) -> None:
        message_id = await with_an_open_call(world, Effect.REPEATABLE)
        await world.tell(StartCalls(message_id=message_id, call_ids=(CallId("a"),)))
        await save_user_rules(world.db, OWNER, kept(denies(words="npm *")))
        async with world.working():
            await world.until_idle()

        told = (await world.results())["a"]["error"]
        assert "do not allow `npm test`" in told
        assert "outcome is unknown" in told
        assert world.witness.lines == []

    play(story, workers=0)


def test_a_rule_that_denies_counts_for_calls_that_still_wait_for_their_siblings() -> None:
    async def story(world: Judging) -> None:
        await save_user_rules(world.db, OWNER, kept(allows("write")))
        world.gate = asyncio.Event()
        calls = [f'call @c{n} write {{"path": "a"}}' for n in range(PARALLEL_MAX + 2)]
        await world.open("\n".join(calls) + "\nnext\nsay Done.")
        while len(world.witness.lines) < PARALLEL_MAX:
            await world.clock.sleep(0.01)
        await save_user_rules(world.db, OWNER, kept(denies("write")))
        world.gate.set()
        await world.until_idle()

        assert len(world.witness.lines) == PARALLEL_MAX
        results = await world.results()
        refused = [call_id for call_id, result in results.items() if "error" in result]
        assert refused == [f"c{PARALLEL_MAX}", f"c{PARALLEL_MAX + 1}"]

    play(story)


def test_a_rule_of_the_server_that_asks_cannot_be_answered_for_always() -> None:
    async def story(world: Judging) -> None:
        await world.open(ASKS)
        (waiting,) = await world.until_asked()

        assert waiting.request is not None
        assert waiting.request.scopes == ()

    play(story, rules=Rules(deployment=(asks(words="npm *"),)))


def test_a_rule_of_the_user_that_asks_can_be_answered_for_always_and_not_for_the_chat() -> None:
    async def story(world: Judging) -> None:
        await save_user_rules(world.db, OWNER, kept(asks(words="npm *")))
        await world.open(ASKS)
        (waiting,) = await world.until_asked()
        assert waiting.request is not None
        assert waiting.request.scopes == (ApprovalScope.ALWAYS,)

        await world.answer(scope=ApprovalScope.ALWAYS)
        await world.until_idle()
        await world.open(ASKS, OTHER)
        await world.until_idle(OTHER)
        assert world.witness.lines == ["execute a", "execute a"]

    play(story)


def test_without_a_rule_that_was_removed_a_person_is_asked_again() -> None:
    async def story(world: Judging) -> None:
        await world.open(ASKS)
        await world.until_asked()
        await world.answer(scope=ApprovalScope.ALWAYS)
        await world.until_idle()
        (rule,) = await read_user_rules(world.db, OWNER)
        await save_user_rules(world.db, OWNER, RemoveRule(rule_id=rule.id))

        await world.send(execute("npm test", "b"))
        assert [c.id for c in await world.until_asked()] == ["b"]

    play(story)


@pytest.mark.parametrize("now", ["asked for", "allowed", "denied"])
def test_rules_that_change_while_a_model_speaks_count_for_what_it_calls(now: str) -> None:
    """By then those of the call before are remembered."""
    command = "make" if now == "allowed" else "npm test"

    async def story(world: Judging) -> None:
        await save_user_rules(world.db, OWNER, kept(allows(words="npm test")))
        await world.open(
            f"{execute('npm test')}\nnext\nwait {MINUTE // 2}\n{execute(command, 'b')}\nnext\nsay Done."
        )
        await world.clock.sleep(MINUTE / 4)
        assert world.witness.lines == ["execute a"]
        (before,) = await read_user_rules(world.db, OWNER)
        gone = RemoveRule(rule_id=before.id)
        changes: dict[str, list[RuleChange]] = {
            "asked for": [gone],
            "allowed": [kept(allows(words="make"))],
            "denied": [gone, kept(denies(words="npm test"))],
        }
        await save_user_rules(world.db, OWNER, *changes[now])

        if now == "asked for":
            assert [c.id for c in await world.until_asked()] == ["b"]
            return
        await world.until_idle()
        assert ("execute b" in world.witness.lines) is (now == "allowed")

    play(story)
