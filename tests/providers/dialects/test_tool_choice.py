"""Whether a model may, must or must not call tools, in each dialect."""

from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from chatd.catalog.models.options import AnthropicOptions, CallOptions, Thinking
from chatd.providers.capabilities.target import Abilities, DialectName, Quirks, Reasoning, Target
from chatd.providers.dialect import Dialect, Head
from chatd.providers.dialects.anthropic import ANTHROPIC
from chatd.providers.dialects.chat import CHAT
from chatd.providers.dialects.converse import CONVERSE
from chatd.providers.dialects.gemini import GEMINI
from chatd.providers.dialects.responses import RESPONSES
from chatd.providers.model import Named, ToolChoice, ToolSpec
from tests.providers.histories import TARGET
from tests.traceability import proves

ECHO = ToolSpec(name="echo", description="Says it again.", input_schema={})
LOOK = ToolSpec(name="look", description="Looks.", input_schema={})


def written(
    dialect: Dialect, name: DialectName, head: Head, **target: Any
) -> tuple[dict[str, Any], tuple[str, ...]]:
    body = dialect.write_body(
        b'{"role":"user","content":[{"type":"text","text":"Hi."}]}',
        head,
        replace(TARGET, dialect=name, api_version="2023-06-01", **target),
    )
    return msgspec.json.decode(body.json), body.warnings


def claude(choice: ToolChoice, *tools: ToolSpec, **target: Any) -> tuple[Any, tuple[str, ...]]:
    head = Head(tools=tools, tool_choice=choice)
    body, warnings = written(ANTHROPIC, DialectName.ANTHROPIC, head, **target)
    return body.get("tool_choice"), warnings


SINGLE = CallOptions(anthropic=AnthropicOptions(disable_parallel_tool_use=True))


@proves("model-layer", 49)
@pytest.mark.parametrize(
    ("choice", "freely", "one_at_a_time"),
    [
        (None, None, {"type": "auto", "disable_parallel_tool_use": True}),
        ("auto", {"type": "auto"}, {"type": "auto", "disable_parallel_tool_use": True}),
        ("required", {"type": "any"}, {"type": "any", "disable_parallel_tool_use": True}),
        ("none", {"type": "none"}, {"type": "none"}),
        (
            Named("echo"),
            {"type": "tool", "name": "echo"},
            {"type": "tool", "name": "echo", "disable_parallel_tool_use": True},
        ),
    ],
)
def test_anthropic_is_told_the_choice_and_how_many_at_once(
    choice: ToolChoice, freely: Any, one_at_a_time: Any
) -> None:
    assert claude(choice, ECHO)[0] == freely
    assert claude(choice, ECHO, options=SINGLE)[0] == one_at_a_time
    assert claude(choice, options=SINGLE)[0] is None


@proves("model-layer", 50)
@pytest.mark.parametrize("choice", ["required", Named("echo")])
def test_a_claude_that_thinks_chooses_its_tools_itself(choice: ToolChoice) -> None:
    thinking = CallOptions(anthropic=AnthropicOptions(thinking=Thinking(budget_tokens=2048)))
    thinker = {"options": thinking, "abilities": Abilities(reasoning=Reasoning.BUDGET, output_limit=9000)}

    chosen, warnings = claude(choice, ECHO, **thinker)

    assert chosen == {"type": "auto"}
    assert any("choose its tools itself" in warning for warning in warnings)
    assert claude("none", ECHO, **thinker)[0] == {"type": "none"}


@proves("model-layer", 119)
def test_a_server_that_knows_no_named_choice_is_told_to_use_its_only_tool() -> None:
    def chosen(*tools: ToolSpec, unnamed: bool) -> Any:
        head = Head(tools=tools, tool_choice=Named("echo"))
        body, _ = written(CHAT, DialectName.CHAT, head, quirks=Quirks(no_named_choice=unnamed))
        return body["tool_choice"]

    named = {"type": "function", "function": {"name": "echo"}}
    assert chosen(ECHO, unnamed=True) == "required"
    assert chosen(ECHO, unnamed=False) == named
    assert chosen(ECHO, LOOK, unnamed=True) == named


@pytest.mark.parametrize(
    ("dialect", "name", "field", "choices"),
    [
        (
            RESPONSES,
            DialectName.RESPONSES,
            "tool_choice",
            ["auto", "none", "required", {"type": "function", "name": "echo"}],
        ),
        (
            CHAT,
            DialectName.CHAT,
            "tool_choice",
            ["auto", "none", "required", {"type": "function", "function": {"name": "echo"}}],
        ),
        (
            GEMINI,
            DialectName.GEMINI,
            "toolConfig",
            [
                {"functionCallingConfig": {"mode": "AUTO"}},
                {"functionCallingConfig": {"mode": "NONE"}},
                {"functionCallingConfig": {"mode": "ANY"}},
                {"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": ["echo"]}},
            ],
        ),
    ],
)
def test_every_dialect_has_its_own_words_for_the_choice(
    dialect: Dialect, name: DialectName, field: str, choices: list[Any]
) -> None:
    for choice, expected in zip(("auto", "none", "required", Named("echo")), choices, strict=True):
        body, _ = written(dialect, name, Head(tools=(ECHO,), tool_choice=choice))  # type: ignore[arg-type]
        assert body[field] == expected
        without, _ = written(dialect, name, Head(tool_choice=choice))  # type: ignore[arg-type]
        assert field not in without


def test_converse_cannot_forbid_tools_and_says_so() -> None:
    def chosen(choice: ToolChoice) -> tuple[Any, tuple[str, ...]]:
        head = Head(tools=(ECHO,), tool_choice=choice)
        body, warnings = written(CONVERSE, DialectName.CONVERSE, head)
        return body["toolConfig"].get("toolChoice"), warnings

    assert chosen("auto")[0] == {"auto": {}}
    assert chosen("required")[0] == {"any": {}}
    assert chosen(Named("echo"))[0] == {"tool": {"name": "echo"}}
    assert chosen("none") == (None, ("The model may still call tools: Converse cannot forbid it",))


def test_nothing_is_said_where_nothing_was_chosen() -> None:
    target: Target = TARGET
    for dialect, name in (
        (RESPONSES, DialectName.RESPONSES),
        (CHAT, DialectName.CHAT),
        (GEMINI, DialectName.GEMINI),
    ):
        body, _ = written(dialect, name, Head(tools=(ECHO,)), model=target.model)
        assert "tool_choice" not in body
        assert "toolConfig" not in body
