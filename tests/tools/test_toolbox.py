from typing import Annotated

import pytest
from msgspec import Meta, Struct
from msgspec.structs import replace

from chatd.domain.call import CallState, Effect, Kind, Plan
from chatd.domain.ids import CallId
from chatd.domain.part import Json, RunBy
from chatd.domain.setup import ClientTool
from chatd.tools.arguments import by_schema, typed
from chatd.tools.rehearsal import rehearsal_tools
from chatd.tools.tool import AnyTool, Setting, Tool
from chatd.tools.toolbox import Offer, Toolbox
from tests.clock import HurriedClock
from tests.support.memory_witness import MemoryWitness
from tests.traceability import proves
from tests.words import call


class Span(Struct, frozen=True, forbid_unknown_fields=True):
    first: int = 1


class Args(Struct, frozen=True, forbid_unknown_fields=True):
    title: Annotated[str, Meta(description="What it is called.")]
    spans: tuple[Span, ...] = ()


class Empty(Struct, frozen=True, forbid_unknown_fields=True):
    pass


class Careless(Struct, frozen=True):
    pass


async def nothing(_: Struct, __: Setting) -> Json:
    return None


def tool(name: str = "file", args: type[Struct] = Empty, effect: Effect = Effect.ONCE) -> AnyTool:
    return Tool(name=name, description=f"The {name}.", arguments=typed(args), effect=effect, run=nothing)


def test_the_arguments_are_told_as_an_object_in_one_piece() -> None:
    (offer,) = Toolbox([tool(args=Args)]).specs()

    assert offer == Offer(
        name="file",
        description="The file.",
        input_schema={
            "type": "object",
            "properties": {
                "title": {"type": "string", "description": "What it is called."},
                "spans": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "properties": {"first": {"type": "integer", "default": 1}},
                        "additionalProperties": False,
                    },
                    "default": [],
                },
            },
            "required": ["title"],
            "additionalProperties": False,
        },
    )


@proves("loop", 15)
def test_a_tool_without_arguments_has_properties_and_requires_nothing() -> None:
    (offer,) = Toolbox([tool()]).specs()

    assert offer.input_schema == {"type": "object", "properties": {}, "additionalProperties": False}


@pytest.mark.parametrize("schema", [None, {}, [], {"properties": None, "required": []}, {"type": "object"}])
def test_a_client_tool_without_a_schema_takes_an_object(schema: Json) -> None:
    (offer,) = Toolbox(client_tools=[ClientTool(name="open_tab", input_schema=schema)]).specs()

    assert offer.input_schema == {"type": "object", "properties": {}}


def test_the_schema_of_a_client_tool_is_passed_on() -> None:
    schema = {"type": "object", "properties": {"url": {"type": "string"}}, "required": ["url"]}

    (offer,) = Toolbox(
        client_tools=[ClientTool(name="open_tab", description="Open.", input_schema=schema)]
    ).specs()

    assert offer == Offer(name="open_tab", description="Open.", input_schema=schema)


def test_a_tool_with_a_schema_from_outside_is_offered_with_that_schema() -> None:
    schema = {"type": "object", "properties": {"url": {"type": "string"}}, "required": ["url"]}

    (offer,) = Toolbox([replace(tool("open"), arguments=by_schema(schema))]).specs()

    assert offer == Offer(name="open", description="The open.", input_schema=schema)


@proves("tools", 74)
def test_a_name_that_both_use_is_ours() -> None:
    toolbox = Toolbox(
        [tool("echo")], [ClientTool(name="echo", description="Theirs."), ClientTool(name="tab")]
    )

    assert [(offer.name, offer.description) for offer in toolbox.specs()] == [
        ("echo", "The echo."),
        ("tab", ""),
    ]
    assert toolbox.kind(call("c1", "echo")) is Kind.LOCAL


def test_a_tool_that_is_not_active_is_not_offered_and_leaves_its_name_to_the_client() -> None:
    toolbox = Toolbox([tool("echo"), tool("file")], [ClientTool(name="echo")], active={"file"})

    assert [offer.name for offer in toolbox.specs()] == ["file", "echo"]
    assert toolbox.kind(call("c1", "echo")) is Kind.CLIENT


def test_who_runs_a_call_follows_from_its_name_and_from_itself() -> None:
    toolbox = Toolbox([tool("echo")], [ClientTool(name="tab")])

    calls = [call("a", "echo"), call("b", "tab"), call("c", "nobody_knows"), call("d", "echo", provider=True)]
    assert [toolbox.kind(made) for made in calls] == [Kind.LOCAL, Kind.CLIENT, Kind.LOCAL, Kind.PROVIDER]


def test_who_runs_a_tool_is_known_by_its_name_if_it_is_ours_or_the_clients() -> None:
    toolbox = Toolbox([tool("echo"), tool("file")], [ClientTool(name="tab")], active={"echo"})

    names = ("echo", "tab", "file", "nobody_knows")
    assert [toolbox.run_by(name) for name in names] == [RunBy.SERVER, RunBy.CLIENT, None, None]


def test_the_plan_of_a_call_has_the_effect_of_its_tool() -> None:
    toolbox = Toolbox([tool("look", effect=Effect.READ), tool("add", effect=Effect.REPEATABLE), tool("fire")])

    effects = [toolbox.plan(call("c", name)).effect for name in ("look", "add", "fire")]
    assert effects == [Effect.READ, Effect.REPEATABLE, Effect.ONCE]


def test_a_call_that_cannot_run_has_no_effect() -> None:
    toolbox = Toolbox([tool("fire")], active=())

    assert toolbox.plan(call("c", "fire")).effect is Effect.READ
    assert toolbox.plan(call("c", "nobody_knows")) == Plan(call_id=CallId("c"), effect=Effect.READ)


@pytest.mark.parametrize("name", ["fire", "tab"])
def test_a_call_of_a_tool_that_is_not_active_is_denied_when_it_is_made(name: str) -> None:
    toolbox = Toolbox([tool("fire")], active=(), hidden=[ClientTool(name="tab")], why_inactive="We plan.")

    plan = toolbox.plan(call("c", name))

    assert (plan.state, plan.ours) == (CallState.DENIED, True)
    assert plan.reason == f"Tool not active: {name}. We plan. Go on without it."


def test_exclusive_serial_and_final_tools_are_known_by_name() -> None:
    last = Tool(
        name="last", description="", arguments=typed(Empty), effect=Effect.READ, run=nothing, serial=True
    )
    toolbox = Toolbox([*rehearsal_tools(MemoryWitness(), HurriedClock()), last])

    assert (toolbox.exclusive, toolbox.serial) == (frozenset({"alone"}), frozenset({"last"}))
    assert [offer.name for offer in toolbox.specs() if toolbox.ends_turn(offer.name)] == ["plan_done"]
    assert not toolbox.ends_turn("nobody_knows")


def test_a_tool_that_would_ignore_arguments_is_a_mistake_of_ours() -> None:
    with pytest.raises(AssertionError, match="would ignore"):
        typed(Careless)


def test_two_tools_of_one_name_are_a_mistake_of_ours() -> None:
    with pytest.raises(AssertionError, match="two tools"):
        Toolbox([tool("echo"), tool("echo")])
