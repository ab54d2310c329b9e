"""Agents that work for a chat: started, waited for, spoken to and stopped, by the model of the chat."""

import pytest
from msgspec.structs import replace

from chatd.agent.services import AgentServices
from chatd.domain.approvals.made_rules import Decision
from chatd.domain.chat import Status
from chatd.domain.family import FamilyLimits
from chatd.domain.ids import CallId, ChatId, UserId
from chatd.domain.message import Effort, Role
from chatd.domain.profile.agent_type import AgentType
from chatd.domain.setup import SetupChange
from chatd.domain.transitions.calls.submit_actions import Approval, SubmitActions
from chatd.domain.transitions.turns.interrupt import Interrupt
from chatd.errors import BadInput
from chatd.providers.model import Model
from chatd.providers.scripted.model import NAME, ScriptedModel
from chatd.storage.database import Database
from chatd.storage.reads.read import read_setup
from chatd.storage.transactions.families import interrupt_family
from chatd.storage.transactions.transact import create_chat, delete_chat
from chatd.tools.agents.models import AgentModels, ModelChoice, ModelOffer, NoAgentModels
from chatd.tools.agents.report import REPORT_LENGTH_MIN, REPORTS_LENGTH_MAX
from chatd.tools.agents.wait_agent import LOOK_SECONDS, WAIT_SECONDS
from tests.traceability import proves
from tests.words import create, send, user
from tests.worker.worlds.families import FamilyWorld, call, script, slowly, spawn, wait
from tests.worker.worlds.world import CHAT, World, tell

SLOW = slowly(100, "Slowly done.")
OTHER = ChatId("other")


def as_family(world: World) -> FamilyWorld:
    assert isinstance(world, FamilyWorld)
    return world


@proves("subagents", 1)
def test_a_child_is_started_and_the_call_does_not_wait_for_it() -> None:
    async def story(world: World) -> None:
        family = as_family(world)
        await world.start(script(spawn("look", SLOW), "say I go on."))
        await world.until_idle()

        (child,) = await family.children()
        assert await family.told("look") == {
            "chat_id": child.id,
            "title": "look",
            "status": "running",
            "type": "general",
        }
        assert (child.parent_id, child.root_id, child.agent_type) == (CHAT, CHAT, AgentType.GENERAL)
        assert child.status is Status.RUNNING
        await world.until_idle(child.id)
        assert (await world.transcript(child.id))[0] == f"user: {SLOW}"
        assert (await world.transcript(child.id))[-1] == "assistant: Slowly done."

    tell(story, make=FamilyWorld)


@proves("subagents", 3)
def test_a_child_that_calls_a_tool_for_agents_all_the_same_is_refused() -> None:
    async def story(world: World) -> None:
        family = as_family(world)
        await world.start(script(spawn("deep", script(spawn("deeper"), "say No.")), wait()))
        await world.until_idle()

        child = await family.child("deep")
        refusal = await family.result("deeper", child.id)
        assert refusal.is_error
        assert "works for another" in str(refusal.result)
        assert await family.children(child.id) == ()

    tell(story, make=FamilyWorld)


@proves("subagents", 5, 6, 25)
@pytest.mark.parametrize(
    ("wrong", "listed"),
    [
        ({"type": ""}, "one of explore, general"),
        ({"type": "clever"}, "one of explore, general"),
        ({"reasoning_effort": "wild"}, "one of high, low, max, medium, minimal, none, xhigh"),
    ],
)
def test_a_wrong_choice_is_answered_with_the_right_ones(wrong: dict[str, str], listed: str) -> None:
    async def story(world: World) -> None:
        family = as_family(world)
        await world.start(script(spawn("wrong", **wrong), "say Sorry."))
        await world.until_idle()

        result = await family.result("wrong")
        assert result.is_error
        assert listed in str(result.result)
        assert await family.children() == ()

    tell(story, make=FamilyWorld)


@proves("subagents", 11)
def test_a_blank_prompt_starts_no_agent() -> None:
    async def story(world: World) -> None:
        family = as_family(world)
        await world.start(script(spawn("blank", "  "), "say Sorry."))
        await world.until_idle()

        assert "prompt is required" in str((await family.result("blank")).result)
        assert await family.children() == ()

    tell(story, make=FamilyWorld)


@proves("subagents", 12)
def test_a_title_is_made_of_the_prompt() -> None:
    async def story(world: World) -> None:
        family = as_family(world)
        prompt = "say one two three four five six seven"
        await world.start(script(spawn("", prompt, call_id="untitled"), wait()))
        await world.until_idle()

        assert (await family.told("untitled"))["title"] == "say one two three four five…"

    tell(story, make=FamilyWorld)


@proves("subagents", 27, 30, 31, 33)
def test_a_child_has_the_workspace_of_its_parent_and_none_of_the_callers_tools() -> None:
    async def story(world: World) -> None:
        family = as_family(world)
        setup = SetupChange(
            instructions="Be brief.", workspace="/srv/project", mcp_servers=("a", "b"), mode="plan"
        )
        command = create(user(script([spawn("plan"), spawn("look", type="explore")], wait())))
        assert command.setup is not None
        tools = command.setup.client_tools
        await create_chat(world.store, replace(command, setup=replace(setup, client_tools=tools)))
        await world.until_idle()

        for title, mode in (("plan", "plan"), ("look", None)):
            child = await read_setup(world.db, (await family.child(title)).id)
            assert (child.instructions, child.mcp_servers, child.mode) == ("Be brief.", ("a", "b"), mode)
            assert (child.workspace, child.client_tools) == ("/srv/project", ())

    tell(story, make=FamilyWorld)


@proves("subagents", 39, 40)
def test_what_is_done_is_reported_at_once() -> None:
    async def story(world: World) -> None:
        family = as_family(world)
        await world.start(
            script(
                [
                    spawn("speaks", script(["say First.", call("echo", {"text": "x"})], "say It is 42.")),
                    spawn("quiet", call("plan_done", {})),
                ],
                call("wait", {"seconds": 10}),
                wait(),
                "say Thanks.",
            )
        )
        await world.until_idle()

        reports = {each["title"]: each["report"] for each in (await family.told("wait"))["agents"]}
        assert reports == {"speaks": "It is 42.", "quiet": ""}

    tell(story, make=FamilyWorld)


@proves("subagents", 37, 44)
def test_a_wait_that_is_over_says_so_and_the_child_goes_on() -> None:
    async def story(world: World) -> None:
        family = as_family(world)
        await world.start(
            script(
                spawn("slow", slowly(1000, "At last.")),
                wait("one", timeout_seconds=1),
                wait("two", timeout_seconds=0),
            )
        )
        await world.until(lambda chat: chat.projection.steps >= 2)
        began = world.clock.monotonic()
        await world.until_idle()

        # Zero is the usual time.
        assert world.clock.monotonic() - began == pytest.approx(WAIT_SECONDS, abs=10)
        child = await family.child("slow")
        for call_id in ("one", "two"):
            told = await family.told(call_id)
            assert told["timed_out"]
            assert told["agents"] == [
                {
                    "chat_id": child.id,
                    "title": "slow",
                    "status": "running",
                    "type": "general",
                    "timed_out": True,
                }
            ]
        assert child.status is Status.RUNNING
        await world.until_idle(child.id)

    tell(story, make=FamilyWorld)


@proves("worker", 53)
@proves("subagents", 38)
def test_a_child_that_ends_as_the_time_is_over_is_reported_as_done() -> None:
    async def story(world: World) -> None:
        family = as_family(world)
        # No hint reaches the waiting call, and the next look would come after the end of the wait.
        family.lose_hints()
        await world.start(script(spawn("just", slowly(3, "In time.")), wait(timeout_seconds=4)))
        await world.until_idle()

        told = await family.told("wait")
        assert [each["report"] for each in told["agents"]] == ["In time."]
        assert not told["timed_out"]

    tell(story, make=FamilyWorld)


def test_a_lost_hint_costs_a_few_seconds_and_no_more() -> None:
    async def story(world: World) -> None:
        family = as_family(world)
        family.lose_hints()
        await world.start(script(spawn("slow", slowly(30, "Done.")), wait()))
        await world.until_idle()

        chat, child = (await world.stored()).chat, await family.child("slow")
        assert 0 < chat.updated_at - child.updated_at <= (LOOK_SECONDS + 1) * 1_000_000

    tell(story, make=FamilyWorld)


def test_a_wait_ends_with_the_hint_that_the_child_is_done() -> None:
    async def story(world: World) -> None:
        family = as_family(world)
        await world.start(script(spawn("slow", slowly(31.5, "Done.")), wait()))
        await world.until_idle()

        chat, child = (await world.stored()).chat, await family.child("slow")
        assert chat.updated_at - child.updated_at < 1_000_000

    tell(story, make=FamilyWorld)


def test_a_wait_can_be_for_the_first_of_several() -> None:
    async def story(world: World) -> None:
        family = as_family(world)
        await world.start(
            script([spawn("slow", SLOW), spawn("quick", slowly(5, "Quick."))], wait(until="any"), wait("all"))
        )
        await world.until_idle()

        first = await family.told("wait")
        assert not first["timed_out"]
        assert {each["title"]: each.get("report") for each in first["agents"]} == {
            "slow": None,
            "quick": "Quick.",
        }
        both = {each["title"]: each["report"] for each in (await family.told("all"))["agents"]}
        assert both == {"slow": "Slowly done.", "quick": "Quick."}

    tell(story, make=FamilyWorld)


@proves("subagents", 41)
def test_a_child_that_failed_is_told_with_the_reason_and_what_it_has_said() -> None:
    async def story(world: World) -> None:
        family = as_family(world)
        await world.start(
            script(spawn("fails", script(["say Half.", call("echo", {"text": "x"})], "fail auth")), wait())
        )
        await world.until_idle()

        (told,) = (await family.told("wait"))["agents"]
        assert (told["status"], told["report"]) == ("error", "Half.")
        assert (told["last_error_kind"], told["last_error_retryable"]) == ("auth", False)
        assert told["last_error"]

    tell(story, make=FamilyWorld)


@proves("subagents", 43)
def test_only_agents_of_this_chat_can_be_waited_for_spoken_to_and_stopped() -> None:
    async def story(world: World) -> None:
        family = as_family(world)
        await world.start(script(spawn("mine", SLOW), "say Started."), OTHER)
        await world.until_idle(OTHER)
        foreign = (await family.child("mine", OTHER)).id
        for chat_id in (foreign, OTHER, "nothing"):
            await world.start(
                script(
                    [
                        wait("w", chat_id=chat_id),
                        call("message_agent", {"chat_id": chat_id, "message": "Hi."}, "m"),
                        call("interrupt_agent", {"chat_id": chat_id}, "i"),
                    ],
                    "say Well.",
                ),
                ChatId(f"asks for {chat_id}"),
            )
            await world.until_idle(ChatId(f"asks for {chat_id}"))
            for call_id in "wmi":
                result = await family.result(call_id, ChatId(f"asks for {chat_id}"))
                assert result.is_error
                assert "There is no agent" in str(result.result)
        assert (await family.child("mine", OTHER)).status is Status.RUNNING

    tell(story, make=FamilyWorld)


@proves("subagents", 45)
def test_a_parent_that_is_stopped_alone_leaves_its_child_at_work() -> None:
    async def story(world: World) -> None:
        family = as_family(world)
        await world.start(script(spawn("slow", SLOW), wait()))
        await world.until(lambda chat: chat.projection.steps >= 2)
        await world.clock.sleep(1)
        await world.tell(Interrupt())
        await world.until_idle()

        assert (await family.child("slow")).status is Status.RUNNING

    tell(story, make=FamilyWorld)


def test_a_stop_of_the_family_reaches_a_waiting_parent_and_its_children() -> None:
    async def story(world: World) -> None:
        family = as_family(world)
        await world.start(script([spawn("one", "say Begun.\nwait 100"), spawn("two", SLOW)], wait()))
        await world.until(lambda chat: chat.projection.steps >= 2)
        await world.clock.sleep(5)
        await interrupt_family(world.store, CHAT, Interrupt())
        await world.until_idle()
        for child in await family.children():
            await world.until_idle(child.id)

        assert (await world.transcript((await family.child("one")).id))[-1] == "assistant: Begun."
        assert world.slots.work.idle

    tell(story, make=FamilyWorld)


def test_a_child_that_waits_for_a_person_is_told_where_its_parent_waits() -> None:
    async def story(world: World) -> None:
        family = as_family(world)
        asking = script(call("delicate", {}, "ask"), "say Allowed.")
        await world.start(script(spawn("careful", asking), wait("first", timeout_seconds=60), wait("second")))
        await world.until(lambda chat: chat.projection.steps >= 3)

        child = await family.child("careful")
        (first,) = (await family.told("first"))["agents"]
        assert (first["status"], first["timed_out"]) == ("requires_action", True)
        assert first["waiting_for"] == ["a person's answer to a call of delicate"]
        assert f"careful ({child.id}) waits for a person's answer" in family.shown("second")
        await world.tell(
            SubmitActions(actions=(Approval(call_id=CallId("ask"), decision=Decision.ALLOW),)),
            chat_id=child.id,
        )
        await world.until_idle()
        (second,) = (await family.told("second"))["agents"]
        assert second["report"] == "Allowed."

    tell(story, make=FamilyWorld)


@proves("subagents", 46, 47, 48)
def test_an_agent_hears_messages_in_order_and_at_once_when_it_is_interrupted() -> None:
    async def story(world: World) -> None:
        family = as_family(world)
        await world.start(script(spawn("a", "say One."), wait()))
        await world.until_idle()
        child = (await family.child("a")).id

        def message(words: str, call_id: str, *, interrupt: bool = False) -> str:
            return call(
                "message_agent", {"chat_id": child, "message": words, "interrupt": interrupt}, call_id
            )

        await world.send(
            script(
                message(slowly(50, "Two."), "idle"),
                [message("say Three.", "busy")],
                wait("both", chat_id=child),
                message(slowly(1000, "Never."), "long"),
                call("wait", {"seconds": 5}),
                message("say Four.", "stops", interrupt=True),
                wait("last", chat_id=child),
            )
        )
        await world.until_idle()

        told = [await family.told(name) for name in ("idle", "busy", "long", "stops")]
        assert [each["interrupted"] for each in told] == [False, False, False, True]
        assert (await family.told("both"))["report"] == "Three."
        assert (await family.told("last"))["report"] == "Four."
        said = [
            line for line in await world.transcript(child) if line.startswith("assistant") and "." in line
        ]
        assert said == ["assistant: One.", "assistant: Two.", "assistant: Three.", "assistant: Four."]

    tell(story, make=FamilyWorld)


@proves("loop", 18)
@proves("tools", 5)
@proves("subagents", 49)
def test_an_agent_is_stopped_and_one_that_does_nothing_is_not() -> None:
    async def story(world: World) -> None:
        family = as_family(world)
        await world.start(script([spawn("busy", "say Begun.\nwait 1000"), spawn("idle")], "say Started."))
        await world.until_idle()
        await world.until_idle((await family.child("idle")).id)
        busy, idle = [(await family.child(title)).id for title in ("busy", "idle")]

        await world.send(
            script(
                [
                    call("interrupt_agent", {"chat_id": busy}, "stop"),
                    call("close_agent", {"chat_id": idle}, "idle stop"),
                ],
                wait("wait", chat_id=busy),
            ).replace("@idle stop", "@idle-stop")
        )
        await world.until_idle()

        assert (await family.told("stop"))["interrupted"]
        assert not (await family.told("idle-stop"))["interrupted"]
        waited = await family.told("wait")
        assert (waited["status"], waited["report"]) == ("waiting", "Begun.")

    tell(story, make=FamilyWorld)


@proves("subagents", 53)
def test_every_answer_about_an_agent_tells_its_type() -> None:
    async def story(world: World) -> None:
        family = as_family(world)
        await world.start(script(spawn("look", "say Here.", type="explore"), wait("waited")))
        await world.until_idle()
        child = (await family.child("look")).id
        full = [call("message_agent", {"chat_id": child, "message": "wait 1000"}, f"m{n}") for n in range(22)]
        await world.send(
            script(
                *full, call("interrupt_agent", {"chat_id": child}, "stopped"), call("list_agents", {}, "list")
            )
        )
        await world.until_idle()

        waited, listed = (await family.told("waited"))["agents"], (await family.told("list"))["agents"]
        alone = [await family.told(name) for name in ("look", "m0", "stopped")]
        assert [each["type"] for each in (*alone, *waited, *listed)] == ["explore"] * 5
        # Its queue is full: an error about an agent that is there.
        refused = await family.result("m21")
        assert refused.is_error
        assert "an agent of the type explore" in str(refused.result)

    tell(story, make=FamilyWorld)


@proves("subagents", 50, 51)
def test_agents_are_listed_in_pages_the_newest_first() -> None:
    async def story(world: World) -> None:
        family = as_family(world)
        tens = [
            script([spawn(f"agent-{ten}{n}") for n in range(10)], wait(f"wait-{ten}")) for ten in range(6)
        ]
        await world.start(tens[0])
        for ten in tens[1:]:
            await world.send(ten)
        await world.until_idle()
        looks = [call("list_agents", {}, "page"), call("list_agents", {"limit": 500, "offset": 5}, "more")]
        await world.send(script(looks, "say So many."))
        await world.until_idle()

        newest = sorted(await family.children(), key=lambda child: (-child.updated_at, child.id))
        page, more = await family.told("page"), await family.told("more")
        assert [each["chat_id"] for each in page["agents"]] == [child.id for child in newest[:10]]
        assert {key: page[key] for key in ("total", "returned", "offset", "has_more")} == {
            "total": 60,
            "returned": 10,
            "offset": 0,
            "has_more": True,
        }
        assert (more["returned"], more["offset"], more["has_more"]) == (50, 5, True)

    tell(story, make=FamilyWorld)


def test_a_family_at_its_limit_is_told_what_to_do_instead() -> None:
    class Small(FamilyWorld):
        limits = FamilyLimits(children_max=3, at_work_max=2)

    async def story(world: World) -> None:
        family = as_family(world)
        first = [spawn("a", SLOW), spawn("b", SLOW), spawn("c", SLOW)]
        await world.start(script(first, wait(), spawn("d"), spawn("e"), "say Enough."))
        await world.until_idle()

        assert len(await family.children()) == 3
        refused = [await family.result(name) for name in "abcde"]
        assert [result.is_error for result in refused] == [False, False, True, False, True]
        assert "wait_agent" in str(refused[2].result)
        assert "message_agent" in str(refused[4].result)

    tell(story, make=Small)


def test_long_reports_share_the_room_of_one_result() -> None:
    async def story(world: World) -> None:
        family = as_family(world)
        await world.start(
            script([spawn(name, "stream 20000 words at 1000 per second") for name in "abc"], wait())
        )
        await world.until_idle()

        reports = [each["report"] for each in (await family.told("wait"))["agents"]]
        assert all("characters are left out" in report for report in reports)
        assert sum(map(len, reports)) < REPORTS_LENGTH_MAX + 3 * 200
        assert REPORT_LENGTH_MIN < REPORTS_LENGTH_MAX

    tell(story, make=FamilyWorld)


def test_a_parent_whose_family_is_deleted_ends_with_it() -> None:
    async def story(world: World) -> None:
        family = as_family(world)
        await world.start(script(spawn("slow", SLOW), wait()))
        await world.until(lambda chat: chat.projection.steps >= 2)
        await world.clock.sleep(1)
        await delete_chat(world.store, CHAT)
        await world.clock.sleep(30)

        assert await family.children() == ()
        assert world.slots.work.idle

    tell(story, make=FamilyWorld)


def test_parents_that_wait_for_a_hundred_children_do_not_starve_them() -> None:
    """Four slots, and five parents that all wait: none of them holds a slot meanwhile.

    Children take two steps, so that each needs a slot again when all parents wait.
    """
    work = 'stream 5 words at 10 per second\ncall wait {"seconds": 0.5}\nnext\n'

    async def story(world: World) -> None:
        family = as_family(world)
        parents = [ChatId(f"parent {n}") for n in range(5)]
        for parent in parents:
            spawns = [spawn(f"child-{n}", f"{work}say Report {n}.") for n in range(20)]
            await world.start(script(spawns, wait(timeout_seconds=3600), "say All there."), parent)
        for parent in parents:
            await world.until_idle(parent)

        for parent in parents:
            assert (await world.transcript(parent))[-1] == "assistant: All there."
            told = await family.told("wait", parent)
            assert not told["timed_out"]
            reports = {each["title"]: each["report"].rpartition("Report ")[2] for each in told["agents"]}
            assert reports == {f"child-{n}": f"{n}." for n in range(20)}
        # A hundred children of two seconds each, four at a time: they were never held up for long.
        assert world.clock.monotonic() < 120
        assert world.slots.work.free == 4

    tell(story, make=FamilyWorld, slots=4)


def test_every_child_message_is_said_by_the_owner() -> None:
    async def story(world: World) -> None:
        family = as_family(world)
        await world.start(script(spawn("a"), wait()))
        await world.until_idle()

        child = await world.stored((await family.child("a")).id)
        said = [message for message in child.messages if message.role is Role.USER]
        assert [message.created_by for message in said] == [child.chat.owner_id]

    tell(story, make=FamilyWorld)


class TwoModels(FamilyWorld):
    def __init__(self, db: Database, *, slots: int = 8) -> None:
        super().__init__(db, slots=slots)
        self.other = ScriptedModel(self.clock)
        self.other.name = "other/one"

    async def find(self, name: str | None, owner_id: UserId) -> Model:
        return self.other if name == self.other.name else await self.models.find(name, owner_id)

    def services(self) -> AgentServices:
        return replace(super().services(), models=self)


@proves("subagents", 13, 14)
def test_a_child_has_the_model_of_the_turn_that_starts_it() -> None:
    """Neither the default one, nor that of a message which waits."""

    async def story(world: World) -> None:
        family = as_family(world)
        spawns = [spawn("general"), spawn("explore", type="explore")]
        first = replace(user(script(call("rest", {"seconds": 50}), spawns, wait())), model="other/one")
        await create_chat(world.store, create(first))
        await world.until(lambda chat: chat.open_calls > 0)
        next_ = send("say Hello.")
        await world.tell(replace(next_, message=replace(next_.message, model=NAME)))
        await world.until_idle()

        assert (await world.stored()).chat.last_model == NAME
        for child in await family.children():
            models = {message.model for message in (await world.stored(child.id)).messages}
            assert models == {"other/one"}

    tell(story, make=TwoModels)


class Choosing(FamilyWorld):
    """Explorers have a model of their own, which thinks hard; no other model can be used."""

    class Models(NoAgentModels):
        async def admit(self, name: str, user_id: UserId) -> str:
            if name != NAME:
                raise BadInput("unknown_model", f"There is no model {name!r}.")
            return await super().admit(name, user_id)

        async def chosen_for(self, type_: AgentType, user_id: UserId) -> ModelChoice | None:
            if type_ is AgentType.EXPLORE:
                return ModelChoice(model=NAME, effort=Effort.HIGH)
            return await super().chosen_for(type_, user_id)

    agent_models = Models()


@proves("subagents", 23, 24)
def test_a_child_has_the_model_that_was_asked_for_or_set_or_that_of_its_parent() -> None:
    async def story(world: World) -> None:
        family = as_family(world)
        spawns = [
            spawn("general"),
            spawn("explore", type="explore"),
            spawn("effort", reasoning_effort="low"),
            spawn("both", type="explore", reasoning_effort="low"),
            spawn("named", model=NAME),
        ]
        first = replace(user(script(spawns, wait())), model="scripted")
        await create_chat(world.store, create(first))
        await world.until_idle()

        models = {}
        for child in await family.children():
            said = (await world.stored(child.id)).messages[0]
            models[child.title] = (said.model, said.effort)
        assert models == {
            "general": (NAME, None),
            "explore": (NAME, Effort.HIGH),
            "effort": (NAME, Effort.LOW),
            "both": (NAME, Effort.LOW),
            "named": (NAME, None),
        }

    tell(story, make=Choosing)


@proves("subagents", 21)
def test_a_model_that_cannot_be_used_starts_no_agent_and_the_list_is_named() -> None:
    async def story(world: World) -> None:
        family = as_family(world)
        await world.start(script(spawn("wrong", model="gpt-99"), "say Sorry."))
        await world.until_idle()

        result = await family.result("wrong")
        assert result.is_error
        assert "There is no model 'gpt-99'. list_subagent_models tells" in str(result.result)
        assert await family.children() == ()

    tell(story, make=Choosing)


class Listing(FamilyWorld):
    class Models(NoAgentModels):
        async def usable(self, user_id: UserId) -> tuple[ModelOffer, ...]:
            offer = ModelOffer(
                model="desk/one", display_name="One", provider="desk", context_limit=9, is_default=True
            )
            return (offer,)

    agent_models: AgentModels = Models()


class Unreadable(Listing):
    class Models(NoAgentModels):
        async def usable(self, user_id: UserId) -> tuple[ModelOffer, ...]:
            raise OSError("the database is away")

    agent_models = Models()


def test_an_agent_is_told_the_models_that_its_agents_can_have() -> None:
    async def story(world: World) -> None:
        await world.start(script(call("list_subagent_models", {}, "models"), "say I see."))
        await world.until_idle()

        (model,) = (await as_family(world).told("models"))["models"]
        assert (model["model"], model["provider"], model["context_limit"]) == ("desk/one", "desk", 9)

    tell(story, make=Listing)


def test_models_that_cannot_be_listed_are_no_reason_to_do_without_agents() -> None:
    async def story(world: World) -> None:
        await world.start(script(call("list_subagent_models", {}, "models"), "say I see."))
        await world.until_idle()

        result = await as_family(world).result("models")
        assert result.is_error
        assert "Leave the model out: agents have yours." in str(result.result)
        assert "the database is away" not in str(result.result)

    tell(story, make=Unreadable)


@proves("subagents", 57)
def test_a_file_that_a_child_attached_stays_with_the_child() -> None:
    async def story(world: World) -> None:
        family = as_family(world)
        attaching = script(call("attach", {"name": "notes.txt", "text": "Hello."}), "say Attached.")
        await world.start(script(spawn("attaches", attaching), wait()))
        await world.until_idle()

        assert len((await world.stored((await family.child("attaches")).id)).files) == 1
        assert (await world.stored()).files == ()

    tell(story, make=FamilyWorld)


def test_a_family_that_has_cost_enough_starts_and_resumes_no_agent() -> None:
    class Poor(FamilyWorld):
        limits = FamilyLimits(cost_micros_max=0)

    async def story(world: World) -> None:
        family = as_family(world)
        await world.start(script(spawn("costly"), "say Too much."))
        await world.until_idle()

        assert "may cost 0.00" in str((await family.result("costly")).result)
        assert await family.children() == ()

    tell(story, make=Poor)


def test_agents_of_a_model_without_a_price_are_bounded_by_their_tokens() -> None:
    """The one that is at work has used too much with its first call, and makes no second one."""

    class Frugal(FamilyWorld):
        limits = FamilyLimits(tokens_max=1_000)

    async def story(world: World) -> None:
        family = as_family(world)
        working = script(call("echo", {"text": "hi"}) + "\nusage 1200", "say Done.")
        await world.start(script(spawn("one", working), wait(), spawn("two"), "say Too much."))
        chat = await world.until_idle()

        assert chat.totals.cost_micros == 0
        (child,) = await family.children()
        assert child.last_error is not None
        assert (child.last_error.kind, child.projection.steps) == ("usage_limit", 1)
        assert "and may use 1,000" in child.last_error.message
        assert "and may use 1,000" in str((await family.result("two")).result)

        await world.send(script(call("message_agent", {"chat_id": child.id, "message": "Go on."}, "again")))
        await world.until_idle()
        assert "and may use 1,000" in str((await family.result("again")).result)

    tell(story, make=Frugal)


def test_a_child_at_work_stops_before_its_next_call_when_its_family_has_cost_enough() -> None:
    class Poor(FamilyWorld):
        limits = FamilyLimits(cost_micros_max=0)

    async def story(world: World) -> None:
        family = as_family(world)
        await world.start(script("say Hello."))
        await world.until_idle()
        await create_chat(world.store, create(user("say Done."), chat_id="child", parent=CHAT))
        await world.until(lambda chat: chat.status is Status.ERROR, ChatId("child"))

        (child,) = await family.children()
        assert child.last_error is not None
        assert (child.last_error.kind, "may cost 0.00" in child.last_error.message) == ("usage_limit", True)
        assert child.projection.steps == 0
        # The chat that it works for goes on: it tells the user.
        assert (await world.stored()).chat.status is Status.WAITING

    tell(story, make=Poor)
