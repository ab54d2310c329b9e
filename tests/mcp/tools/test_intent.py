import pytest

from chatd.domain.part import Json
from chatd.mcp.tools.intent import with_intent
from chatd.tools.arguments import UnfitError, by_schema, fitting
from tests.mcp.running import Way, a_bench, running
from tests.traceability import proves

PLAIN = by_schema({"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]})
OWN = by_schema(
    {"type": "object", "properties": {"properties": {"type": "object"}, "model_intent": {"type": "string"}}}
)


@pytest.mark.parametrize(
    "written",
    [
        {"model_intent": "adding", "properties": {"a": 1}},
        {"properties": {"a": 1}},
        {"a": 1},
        {"model_intent": "adding", "a": 1},
    ],
)
def test_arguments_are_taken_out_of_the_wrapping_or_as_they_are(written: Json) -> None:
    assert fitting("add", with_intent(PLAIN), written) == {"a": 1}


def test_a_tool_with_such_names_of_its_own_gets_them() -> None:
    own = {"model_intent": "mine", "properties": {"b": 2}}

    assert fitting("odd", with_intent(OWN), own) == own


@pytest.mark.parametrize(
    "written", [{"model_intent": "adding", "properties": {"a": "x"}}, {"properties": 1}, []]
)
def test_what_does_not_fit_is_refused(written: Json) -> None:
    with pytest.raises(UnfitError):
        fitting("add", with_intent(PLAIN), written)


@proves("mcp-skills-hooks", 31)
async def test_the_server_is_called_with_the_plain_arguments() -> None:
    async with running(Way.STDIO) as server, a_bench(server) as bench:
        bench.change(model_intent=True)
        (add,) = [each.tool for each in await bench.offered() if each.tool.name == "sample__add"]
        wrapped = await bench.call("sample__add", model_intent="adding", properties={"a": 1, "b": 2})
        plain = await bench.call("sample__add", a=1, b=2)

    assert add.arguments.schema["required"] == ["model_intent", "properties"]
    assert wrapped.result == plain.result == {"total": 3}
