import base64

import pytest

from chatd.domain.part import Json
from chatd.mcp.tools.results import FAILED, FURTHER_BYTES_MAX, FURTHER_MAX, NOTHING, result_of
from chatd.tools.tool import Media, ToolError


def text(said: Json) -> Json:
    return {"type": "text", "text": said}


def image(data: bytes = b"dot", kind: str = "image/png") -> Json:
    return {"type": "image", "data": base64.b64encode(data).decode(), "mimeType": kind}


DOT = Media(data=b"dot", media_type="image/png")


@pytest.mark.parametrize(
    ("answer", "result"),
    [
        ({"content": [text("a"), text("b")]}, "a\n\nb"),
        ({"content": []}, NOTHING),
        ({}, NOTHING),
        ({"content": "no list"}, NOTHING),
        ({"content": [text(""), text(7), "no block", None]}, NOTHING),
        ({"content": [image()]}, DOT),
        ({"content": [text("a dot"), image()]}, Media(data=b"dot", media_type="image/png", text="a dot")),
        (
            {"content": [{**image(kind="audio/wav"), "type": "audio"}]},
            Media(data=b"dot", media_type="audio/wav"),
        ),
        ({"content": [image(b"")]}, "[1 of image/png (0 bytes) not shown]"),
        (
            {"content": [{"type": "resource", "resource": {"uri": "note://a", "text": "inside"}}]},
            "[note://a]\ninside",
        ),
        (
            {
                "content": [
                    {"type": "resource", "resource": {"uri": "x", "blob": "ZG90", "mimeType": "image/png"}}
                ]
            },
            DOT,
        ),
        (
            {
                "content": [
                    {"type": "resource_link", "uri": "note://a", "name": "a", "description": "the file"}
                ]
            },
            "[resource: a · note://a · the file]",
        ),
        ({"content": [text("done")], "structuredContent": {"n": 1}}, 'done\n\n{"n":1}'),
        ({"content": [text('{ "n": 1 }')], "structuredContent": {"n": 1}}, '{ "n": 1 }'),
        ({"content": [text("done")], "structuredContent": {"result": "done"}}, "done"),
        ({"content": [text("[1, 2]")], "structuredContent": {"result": [1, 2]}}, "[1, 2]"),
        ({"content": [], "structuredContent": {"n": 10**40}}, '{"n":1' + "0" * 40 + "}"),
    ],
)
def test_a_result_is_its_text_and_the_first_thing_that_can_be_shown(answer: Json, result: Json) -> None:
    assert result_of(answer) == result


def test_further_pictures_are_kept_as_files_and_named() -> None:
    result = result_of({"content": [text("three"), image(), image(b"two"), image(b"three", "image/gif")]})

    assert result.value == Media(
        data=b"dot",
        media_type="image/png",
        text="three\n\n[The user can see further files of this result, and you cannot: "
        "result-2.png, result-3.gif]",
    )
    assert [(each.name, each.media_type, each.data) for each in result.attachments] == [
        ("result-2.png", "image/png", b"two"),
        ("result-3.gif", "image/gif", b"three"),
    ]


def test_more_pictures_than_may_be_kept_are_only_mentioned() -> None:
    many = result_of({"content": [image()] * (FURTHER_MAX + 3)})
    large = result_of({"content": [image(), *[image(b"x" * (FURTHER_BYTES_MAX // 3))] * 4]})

    assert (len(many.attachments), len(large.attachments)) == (FURTHER_MAX, 3)
    assert many.value.text.endswith("[2 of image/png not shown]")
    assert large.value.text.endswith("[1 of image/png not shown]")


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ({"content": [text("no disk"), text("left")], "isError": True}, "no disk\n\nleft"),
        ({"content": [], "structuredContent": {"code": 7}, "isError": True}, '{"code":7}'),
        ({"content": [image()], "isError": True}, FAILED),
    ],
)
def test_a_result_that_says_it_is_an_error_is_one(answer: Json, told: str) -> None:
    with pytest.raises(ToolError) as raised:
        result_of(answer)

    assert str(raised.value) == told
