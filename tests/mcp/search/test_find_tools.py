import re
from collections.abc import Sequence
from itertools import count

import pytest

from chatd.domain.call import CallResult, Effect
from chatd.domain.ids import BranchId, CallId, ChatId, MessageId, Micros
from chatd.domain.message import Message, Role
from chatd.domain.part import Json, ToolResult
from chatd.kit import codec
from chatd.mcp.search.deferred import TOLD_MAX, tokens_in
from chatd.mcp.search.find_tools import search_among
from chatd.mcp.tools.offered import Offered
from chatd.providers.model import Transcript
from chatd.tools.arguments import by_schema
from chatd.tools.calls.call import run_call
from chatd.tools.tool import Setting, Tool
from chatd.tools.toolbox import Toolbox
from tests.support.counted import counting
from tests.traceability import proves

CONTEXT = 200_000


async def done(args: dict[str, Json], setting: Setting) -> Json:
    return "done"


def offered(name: str, description: str = "", server: str = "github", **properties: Json) -> Offered:
    schema = {"type": "object", "properties": properties}
    tool = Tool(
        name=f"{server}__{name}",
        description=description,
        arguments=by_schema(schema),
        effect=Effect.ONCE,
        run=done,
    )
    return Offered(tool=tool, server=server, schema_bytes=len(codec.encode(schema)))


def many(server: str = "other", how_many: int = 200) -> list[Offered]:
    return [offered(f"filler{number:04}", f"Does thing {number}.", server) for number in range(how_many)]


class Chat:
    """A toolbox with a search, and a history that grows."""

    _ids = count(1)

    def __init__(self, tools: Sequence[Offered], context_limit: int = CONTEXT) -> None:
        found = search_among(tools, context_limit)
        assert found is not None
        self.search = found
        self.toolbox = Toolbox([found.tool, *(each.tool for each in tools)], search=found)
        self.history = Transcript()

    async def call(self, tool: str, **args: Json) -> CallResult:
        setting = Setting(chat_id=ChatId("chat"), call_id=CallId("call"), show=print)
        self.toolbox.follow(self.history)
        return (await run_call(self.toolbox, tool, args, setting)).result

    async def step(self, tool: str, **args: Json) -> CallResult:
        """A call whose result enters the history."""
        result = await self.call(tool, **args)
        self.remember(tool, result.result, is_error=result.is_error)
        return result

    def remember(self, tool: str, result: Json, *, is_error: bool = False) -> None:
        part = ToolResult(tool_call_id=CallId("call"), tool_name=tool, result=result, is_error=is_error)
        number = next(self._ids)
        self.history.append(
            Message(
                role=Role.TOOL,
                content=(part,),
                id=MessageId(number),
                revision=number,
                branch=BranchId(0),
                created_at=Micros(0),
                tokens=1,
            )
        )

    def told(self) -> list[str]:
        self.toolbox.follow(self.history)
        return [offer.name for offer in self.toolbox.specs()]


async def find(tools: Sequence[Offered], **args: Json) -> list[str]:
    result = await Chat(tools).call("find_tools", **args)
    return [match["name"] for match in result.result["matches"]]


@proves("mcp-skills-hooks", 37)
def test_of_many_tools_the_model_is_told_only_how_to_find_them() -> None:
    assert Chat(many()).told() == ["find_tools"]


def test_of_few_tools_the_model_is_told_at_once() -> None:
    assert search_among(many(how_many=TOLD_MAX), CONTEXT) is None
    assert search_among(many(how_many=TOLD_MAX + 1), CONTEXT) is not None


def test_of_few_tools_with_large_schemas_too() -> None:
    large = [offered(f"t{number}", x={"enum": ["v" * 1000] * 20}) for number in range(5)]

    assert search_among(large, 1_000_000) is None
    assert search_among(large, 100_000) is not None
    assert search_among(large, 0) is not None


@proves("mcp-skills-hooks", 38)
async def test_a_match_in_the_name_comes_before_one_in_the_description() -> None:
    tools = [offered("list", "Shows each issue."), offered("create_issue", "Opens a ticket."), *many()]

    assert await find(tools, queries=["issue"]) == ["github__create_issue", "github__list"]


async def test_a_word_of_the_name_counts_more_than_a_part_of_one() -> None:
    tools = [offered("reissue"), offered("openIssue"), offered("x", issue={"type": "string"}), *many()]

    assert await find(tools, queries=["issue"]) == ["github__openIssue", "github__reissue", "github__x"]


@proves("mcp-skills-hooks", 39)
async def test_a_query_can_be_about_one_server() -> None:
    tools = [offered("issue"), offered("issue", server="jira"), *many()]

    assert await find(tools, queries=["github: issue"]) == ["github__issue"]
    assert await find(tools, queries=["nowhere: issue"]) == ["github__issue", "jira__issue"]


async def test_twenty_matches_are_shown_at_most() -> None:
    assert len(await find(many(), queries=["thing"])) == 20


@proves("mcp-skills-hooks", 40)
async def test_what_was_found_is_told_from_the_next_step_on() -> None:
    chat = Chat([offered("create_issue", "Opens a ticket."), *many()])

    found = await chat.step("find_tools", queries=["issue"], names=["other__filler0007", "nowhere__x"])

    assert found.result == {
        "matches": [{"name": "github__create_issue", "description": "Opens a ticket."}],
        "activated": ["other__filler0007", "github__create_issue"],
        "total_deferred": 201,
    }
    assert chat.told() == ["find_tools", "github__create_issue", "other__filler0007"]


@proves("loop", 18)
@proves("mcp-skills-hooks", 41)
async def test_a_deferred_tool_can_be_called_by_its_name_and_is_told_afterwards() -> None:
    chat = Chat(many())

    called = await chat.step("other__filler0003")

    assert called.result == {"output": "done"}
    assert chat.told() == ["find_tools", "other__filler0003"]


@proves("mcp-skills-hooks", 42)
async def test_in_a_small_context_not_all_that_was_found_is_told() -> None:
    chat = Chat(many(), context_limit=1000)

    found = await chat.step("find_tools", queries=["thing"])

    assert len(found.result["matches"]) == 20
    assert 0 < len(found.result["activated"]) < 20
    assert chat.told() == ["find_tools", *found.result["activated"]]


async def test_searches_of_one_step_share_the_room_and_the_last_is_told_when_it_is_used_up() -> None:
    chat = Chat(many(), context_limit=1000)
    chat.toolbox.follow(chat.history)
    setting = Setting(chat_id=ChatId("chat"), call_id=CallId("call"), show=print)

    first = await run_call(chat.toolbox, "find_tools", {"queries": ["thing"]}, setting)
    second = await run_call(chat.toolbox, "find_tools", {"names": ["other__filler0199"]}, setting)

    assert not first.result.is_error
    assert second.result.is_error
    assert "used up" in second.result.result["error"]


async def test_newer_finds_push_out_older_ones_and_one_that_is_too_large_is_told_all_the_same() -> None:
    large = offered("large", x={"enum": ["v" * 1000] * 20})
    chat = Chat([large, *many()], context_limit=2000)

    await chat.step("find_tools", names=["other__filler0001"])
    await chat.step("find_tools", names=["github__large"])
    assert chat.told() == ["find_tools", "github__large"]

    await chat.step("find_tools", names=["other__filler0002"])
    assert chat.told() == ["find_tools", "other__filler0002"]


async def test_a_call_that_failed_counts_less_than_one_that_worked() -> None:
    chat = Chat(many(), context_limit=600)
    for number in range(3):
        chat.remember(f"other__filler000{number}", "done")
    chat.remember("other__filler0009", {"error": "no"}, is_error=True)

    assert "other__filler0002" in chat.told()
    assert "other__filler0009" not in chat.told()


@proves("mcp-skills-hooks", 43)
async def test_a_search_for_nothing_is_an_error() -> None:
    assert (await Chat(many()).call("find_tools")).is_error


@pytest.mark.parametrize(
    "args", [{"queries": ["x"] * 11}, {"names": ["x"] * 41}, {"queries": ["word " * 17]}, {"query": "x"}]
)
async def test_a_search_for_too_much_is_an_error(args: dict[str, Json]) -> None:
    assert (await Chat(many()).call("find_tools", **args)).is_error


@proves("mcp-skills-hooks", 44)
@pytest.mark.parametrize(
    ("tools", "context_limit", "shows"),
    [
        (many(how_many=70), CONTEXT, r"- other__filler0003: Does thing 3\."),
        (many(how_many=400), CONTEXT, "other: other__filler0000, other__filler0001"),
        (many(how_many=1500), CONTEXT, "other: 1500 tools"),
        ([tool for number in range(700) for tool in many(f"s{number}", 1)], 2000, r"There are 700\."),
    ],
)
def test_a_catalogue_becomes_shorter_the_more_there_is(
    tools: list[Offered], context_limit: int, shows: str
) -> None:
    description = Chat(tools, context_limit).search.tool.description

    assert re.search(shows, description)
    assert tokens_in(len(description.encode())) <= 4000


@proves("mcp-skills-hooks", 46)
async def test_what_a_summary_took_out_of_the_prompt_is_not_told_any_more() -> None:
    chat = Chat(many())
    await chat.step("find_tools", names=["other__filler0001"])
    assert "other__filler0001" in chat.told()

    chat.history = Transcript()

    assert chat.told() == ["find_tools"]


async def test_searches_are_counted_with_what_they_found() -> None:
    tools = [offered("create_issue", "Opens an issue."), *many()]
    with counting() as found:
        await find(tools, queries=["issue"])
        await find(tools, queries=["nothing like this"])

    assert {name: value for name, value in found.items() if name.startswith("chatd_find_tools")} == {
        "chatd_find_tools_calls_total": 2,
        "chatd_find_tools_empty_total": 1,
        "chatd_find_tools_activations_total": 1,
        "chatd_find_tools_match_count_count": 2,
        "chatd_find_tools_match_count_sum": 1,
    }
