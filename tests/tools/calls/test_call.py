import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Struct

from chatd.domain.call import CallResult, Effect
from chatd.domain.ids import CallId, ChatId
from chatd.domain.part import File, Json
from chatd.kit import codec
from chatd.tools.arguments import typed
from chatd.tools.calls.call import MEDIA_BYTES_MAX, run_call
from chatd.tools.tool import Media, Setting, Tool, ToolError
from chatd.tools.toolbox import Toolbox
from tests.traceability import proves


class Args(Struct, frozen=True, forbid_unknown_fields=True):
    path: str = ""
    count: int = 1


class Required(Struct, frozen=True, forbid_unknown_fields=True):
    path: str


SETTING = Setting(chat_id=ChatId("chat"), call_id=CallId("c1"), show=lambda _: None)

Run = Callable[[Any, Setting], Awaitable[Json]]


def toolbox(run: Run, *, args: type[Struct] = Args, seconds_max: float = 60.0) -> Toolbox:
    return Toolbox(
        [
            Tool(
                name="do",
                description="",
                arguments=typed(args),
                effect=Effect.READ,
                run=run,
                seconds_max=seconds_max,
            )
        ]
    )


async def never(_: Struct, __: Setting) -> Json:
    pytest.fail("it ran")


async def forever(_: Struct, __: Setting) -> Json:
    return await asyncio.Event().wait()


async def result_of(value: Json, *, context_limit: int = 0) -> CallResult:
    return (await run_call(toolbox(returning(value)), "do", {}, SETTING, context_limit=context_limit)).result


def returning(value: Json) -> Run:
    async def give(_: Args, __: Setting) -> Json:
        return value

    return give


async def result_of_raising(error: BaseException) -> CallResult:
    async def fail(_: Args, __: Setting) -> Json:
        raise error

    return (await run_call(toolbox(fail), "do", {}, SETTING)).result


async def complaint_about(args: Json, shape: type[Struct] = Args) -> str:
    result = (await run_call(toolbox(never, args=shape), "do", args, SETTING)).result
    assert (result.is_error, list(result.result)) == (True, ["error"])
    words = result.result["error"]
    assert isinstance(words, str)
    return words


async def test_a_tool_gets_its_arguments_and_where_it_is() -> None:
    async def tell(args: Args, setting: Setting) -> Json:
        return [args.path, args.count, setting.call_id]

    result = (await run_call(toolbox(tell), "do", {"path": "a", "count": 2}, SETTING)).result

    assert result == CallResult(result=["a", 2, "c1"])


@pytest.mark.parametrize("args", [None, {}, "", "  ", "{}"])
async def test_no_arguments_can_be_written_in_many_ways(args: Json) -> None:
    async def tell(args: Args, _: Setting) -> Json:
        return args.count

    assert (await run_call(toolbox(tell), "do", args, SETTING)).result == CallResult(result=1)


@proves("loop", 18)
@proves("tools", 3)
async def test_an_unknown_tool_is_not_found() -> None:
    result = (await run_call(toolbox(never), "undo", {}, SETTING)).result

    assert result.is_error
    assert "not found: undo" in result.result["error"]
    assert "Use one of the tools that you were offered" in result.result["error"]


@pytest.mark.parametrize(
    ("name", "meant"),
    [("Do", "do"), ("read-file", "read_file"), ("readFile", "read_file"), ("x" * 10_000, None), ("rm", None)],
)
async def test_a_name_that_is_almost_right_is_set_right(name: str, meant: str | None) -> None:
    tools = [
        Tool(name=each, description="", arguments=typed(Args), effect=Effect.READ, run=never)
        for each in ("do", "read_file")
    ]

    words = (await run_call(Toolbox(tools), name, {}, SETTING)).result.result["error"]

    assert (f"Did you mean {meant}?" in words) == (meant is not None)
    assert len(words) < 300


async def test_without_tools_the_model_is_told_to_answer_without_one() -> None:
    words = (await run_call(Toolbox(), "do", {}, SETTING)).result.result["error"]

    assert words == "Tool not found: do. This chat has no tools. Answer without one."


@proves("loop", 18)
async def test_a_tool_that_is_switched_off_is_not_active() -> None:
    tool = Tool(name="do", description="", arguments=typed(Args), effect=Effect.READ, run=never)

    result = (await run_call(Toolbox([tool], active=()), "do", {}, SETTING)).result

    assert result.is_error
    assert "not active: do" in result.result["error"]


@proves("tools", 6, 7)
@pytest.mark.parametrize(
    ("args", "why"),
    [
        ({"path": 1}, "Expected `str`, got `int` - at `$.path`"),
        ({"count": "2"}, "Expected `int`, got `str`"),
        ({"Path": "a"}, "`Path` is ambiguous, because it differs from `path` only by letter case - at `$`"),
        ({"path": "a", "folder": "b"}, "unknown field `folder`"),
        ([], "Expected `object`, got `array`"),
        ('{"path": ', "no valid JSON"),
        ('{"path": "a", "path": "b"}', "the key 'path' is there twice"),
        ('{"count": NaN}', "NaN is not a JSON value"),
        ("[" * 100_000, "no valid JSON"),
        ({"path": "a", "\ud800": 1}, "do not fit"),
    ],
)
async def test_arguments_that_do_not_fit_run_nothing_and_can_be_corrected(args: Json, why: str) -> None:
    words = await complaint_about(args)

    assert why in words
    assert "It takes path, count." in words
    assert "call it again" in words


class Edit(Struct, frozen=True, forbid_unknown_fields=True):
    old_text: str


class Nested(Struct, frozen=True, forbid_unknown_fields=True):
    command: str
    edits: tuple[Edit, ...] = ()
    last: Edit | None = None


@proves("tools", 8)
@pytest.mark.parametrize(
    ("args", "name", "declared", "where"),
    [
        ({"command": "ls", "Command": "rm"}, "Command", "command", "$"),
        ({"COMMAND": "rm"}, "COMMAND", "command", "$"),
        (
            {"command": "ls", "edits": [{"old_text": ""}, {"Old_Text": "a"}]},
            "Old_Text",
            "old_text",
            "$.edits[1]",
        ),
        ({"command": "ls", "last": {"old_text": "a", "OLD_TEXT": "b"}}, "OLD_TEXT", "old_text", "$.last"),
        # The other thing that is wrong must not hide it.
        ({"command": 1, "Command": "rm"}, "Command", "command", "$"),
    ],
)
async def test_a_name_in_another_case_is_ambiguous(args: Json, name: str, declared: str, where: str) -> None:
    words = await complaint_about(args, Nested)

    assert (
        f"`{name}` is ambiguous, because it differs from `{declared}` only by letter case - at `{where}`"
        in words
    )
    assert "call it again" in words


def test_a_tool_whose_arguments_would_ignore_names_cannot_be_made() -> None:
    class Loose(Struct, frozen=True):
        path: str

    class Outer(Struct, frozen=True, forbid_unknown_fields=True):
        inner: list[Loose] = []

    with pytest.raises(AssertionError, match="would ignore arguments"):
        typed(Outer)


async def test_what_is_missing_is_named() -> None:
    words = await complaint_about({}, Required)

    assert "missing required field `path`" in words
    assert "It takes path (required)." in words


async def test_an_error_of_the_tool_is_a_result() -> None:
    result = await result_of_raising(ToolError("There is no such file."))

    assert result == CallResult(result={"error": "There is no such file."}, is_error=True)


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (ValueError("bad"), "do crashed: ValueError: bad. It changes nothing"),
        (KeyError(), "do crashed: KeyError. "),
        (TimeoutError("of its own"), "do crashed: TimeoutError: of its own. "),
        (ExceptionGroup("two", [ValueError("a")]), "do crashed: ExceptionGroup: two (1 sub-exception). "),
        (SystemExit(3), "do crashed: SystemExit: 3. "),
        (RuntimeError("x" * 10_000), "do crashed: RuntimeError: " + "x" * 485 + "…"),
        (ValueError("half \ud800"), "do crashed: ValueError: half \ufffd. "),
    ],
)
async def test_a_crash_is_a_result_too(error: BaseException, words: str) -> None:
    result = await result_of_raising(error)

    assert result.is_error
    assert result.result["error"].startswith(words[:400])
    assert len(result.result["error"]) <= 600


@proves("loop", 17)
@proves("tools", 2)
async def test_a_crash_leaves_the_siblings_alone() -> None:
    async def sometimes(args: Args, _: Setting) -> Json:
        if args.count == 1:
            raise ValueError("me")
        return args.count

    box = toolbox(sometimes)
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(run_call(box, "do", {"count": n}, SETTING)) for n in (0, 1, 2)]

    assert [task.result().result.is_error for task in tasks] == [False, True, False]


@pytest.mark.parametrize(
    ("effect", "advice"),
    [
        (Effect.READ, "It changes nothing and can be called again"),
        (Effect.REPEATABLE, "It may have done a part of its work, and can be called again."),
        (Effect.ONCE, "It may have done a part of its work: check before you call it again."),
    ],
)
async def test_what_to_do_about_a_crash_depends_on_what_running_it_twice_would_mean(
    effect: Effect, advice: str
) -> None:
    async def fail(_: Args, __: Setting) -> Json:
        raise ValueError("bad")

    tool = Tool(name="do", description="", arguments=typed(Args), effect=effect, run=fail)

    assert advice in (await run_call(Toolbox([tool]), "do", {}, SETTING)).result.result["error"]


@proves("tools", 14)
async def test_a_picture_stays_whole_however_little_the_model_can_read() -> None:
    data = bytes(range(256)) * 4096
    picture = Media(data=data, media_type="image/png", text="a cat " * 10_000)

    ran = await run_call(toolbox(returning(picture)), "do", {}, SETTING, context_limit=1000)

    result = ran.result
    assert result.is_media
    assert [file.data for file in ran.attachments] == [data]
    assert len(result.result["text"].encode()) <= 16 * 1024
    assert "bytes are left out here" in result.result["text"]


async def test_a_tool_that_takes_too_long_is_stopped() -> None:
    result = (await run_call(toolbox(forever, seconds_max=0), "do", {}, SETTING)).result

    assert result.is_error
    assert result.result["error"].startswith(
        "do took longer than 0 seconds and was stopped. It changes nothing"
    )


async def test_cancelling_a_call_is_not_a_result() -> None:
    began = asyncio.Event()

    async def begin(_: Args, __: Setting) -> Json:
        began.set()
        return await asyncio.Event().wait()

    async with asyncio.TaskGroup() as group:
        task = group.create_task(run_call(toolbox(begin), "do", {}, SETTING))
        await began.wait()
        task.cancel()

    assert task.cancelled()


async def test_a_tool_that_cancels_itself_is_a_result() -> None:
    result = await result_of_raising(asyncio.CancelledError())

    assert result.is_error
    assert result.result["error"].startswith("do broke off in the middle. ")


@proves("loop", 43)
@pytest.mark.parametrize(
    ("value", "result"),
    [
        ("plain words", {"output": "plain words"}),
        ("", {"output": ""}),
        ('{"a": [1, null]}', {"a": [1, None]}),
        ("12", 12),
        ('"quoted"', "quoted"),
        ("NaN", {"output": "NaN"}),
        ("1e999", {"output": "1e999"}),
        ("[" * 100_000, {"output": "[" * 65_536}),
        ("half \ud83d", {"output": "half \ufffd"}),
        ("whole \ud83d\ude00", {"output": "whole 😀"}),
        ({"a": 1}, {"a": 1}),
        ({"a": "\udc00"}, {"a": "\ufffd"}),
        ({"\udc00": ["\udc00"]}, {"\ufffd": ["\ufffd"]}),
        (None, None),
        ([1, (2,)], [1, [2]]),
        (Args(path="a"), {"path": "a", "count": 1}),
    ],
)
async def test_what_comes_back_is_json_that_can_be_stored(value: Json, result: Json) -> None:
    shaped = await result_of(value)

    assert not shaped.is_error
    if isinstance(value, str) and len(value) > 65_536:
        assert shaped.result["output"].startswith("[[[")
    else:
        assert shaped == CallResult(result=result)


async def test_a_number_that_cannot_be_stored_stays_text() -> None:
    digits = "9" * 400

    stored = codec.encode((await result_of(digits)).result)

    assert digits.encode() in stored


async def test_what_is_no_json_is_a_crash_and_not_a_loss() -> None:
    result = await result_of(object())

    assert result.is_error
    assert "crashed: TypeError" in result.result["error"]


@proves("loop", 22)
async def test_a_picture_comes_back_as_a_file_with_its_type_and_the_words_about_it() -> None:
    picture = Media(data=b"\x89PNG", media_type="image/png", text="a \ud800 cat", name="cat.png")

    ran = await run_call(toolbox(returning(picture)), "do", {}, SETTING)

    (file,) = ran.attachments
    assert (file.name, file.media_type, file.data) == ("cat.png", "image/png", b"\x89PNG")
    assert ran.result == CallResult(
        result={"mime_type": "image/png", "text": "a \ufffd cat"},
        is_media=True,
        media=File(file_id=file.id, media_type="image/png", name="cat.png", size_bytes=4),
    )


@pytest.mark.parametrize("name", ["", "a\nb", "x" * 300])
async def test_a_picture_without_a_usable_name_is_named_by_its_type(name: str) -> None:
    picture = Media(data=b"\x89PNG", media_type="image/png", name=name)

    (file,) = (await run_call(toolbox(returning(picture)), "do", {}, SETTING)).attachments

    assert file.name == "result.png"


async def test_a_picture_without_bytes_is_told_as_words() -> None:
    empty = await result_of(Media(data=b"", media_type="image/png", text="cat.png: 0 bytes"))

    assert empty == CallResult(result={"output": "cat.png: 0 bytes"})


async def test_a_picture_that_is_too_large_is_an_error() -> None:
    result = await result_of(Media(data=bytes(MEDIA_BYTES_MAX + 1), media_type="image/png"))

    assert result.is_error


@pytest.mark.parametrize("value", ["word " * 100_000, '["' + "x" * 500_000 + '"]', ["word "] * 100_000])
async def test_a_long_result_is_cut_to_the_model(value: Json) -> None:
    result = await result_of(value, context_limit=30_000)

    assert list(result.result) == ["output"]
    assert 29_000 < len(result.result["output"].encode()) <= 30_000
    assert "bytes are left out here" in result.result["output"]


async def test_a_long_error_is_cut_as_well() -> None:
    result = await result_of_raising(ToolError("no " * 100_000))

    assert result.is_error
    assert len(result.result["error"]) <= 65_536


@proves("loop", 22)
@given(
    value=st.text() | st.text(st.characters(codec=None)) | st.binary().map(lambda raw: raw.decode("latin-1"))
)
async def test_any_text_comes_back_as_something_that_can_be_stored(value: str) -> None:
    result = (await result_of(value)).result

    assert codec.Decoder(object).decode(codec.encode(result)) == result
