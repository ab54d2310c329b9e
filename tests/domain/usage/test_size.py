from typing import Any

from chatd.domain.branch import FIRST_BRANCH
from chatd.domain.ids import CallId, MessageId, Micros
from chatd.domain.message import Message, Role
from chatd.domain.part import Text, ToolResult
from chatd.domain.usage.size import BYTES_PER_TOKEN, IMAGE_TOKENS, bytes_of, tokens_of

MEGABYTE = "A" * 1_000_000


def returned(result: Any, *, is_media: bool = True) -> ToolResult:
    return ToolResult(tool_call_id=CallId("c1"), tool_name="read_file", result=result, is_media=is_media)


def message(*content: Any) -> Message:
    return Message(
        role=Role.TOOL,
        content=content,
        id=MessageId(1),
        revision=1,
        branch=FIRST_BRANCH,
        created_at=Micros(0),
        tokens=tokens_of(content),
    )


def test_words_are_counted_by_their_bytes() -> None:
    assert 100 <= tokens_of((Text(text="x" * 400),)) <= 110


def test_a_picture_counts_as_one_whatever_its_bytes() -> None:
    media = {"data": MEGABYTE, "mime_type": "image/png", "text": "a.png"}

    assert IMAGE_TOKENS < tokens_of((returned(media),)) < IMAGE_TOKENS + 10
    assert tokens_of((returned(media), Text(text="x" * 400))) > IMAGE_TOKENS + 100


def test_pages_count_by_their_bytes_but_not_as_text() -> None:
    media = {"data": MEGABYTE, "mime_type": "application/pdf", "text": ""}

    assert tokens_of((returned(media),)) == 30_000


def test_what_only_looks_like_a_picture_is_text() -> None:
    result = returned({"data": MEGABYTE, "mime_type": "image/png"}, is_media=False)

    assert tokens_of((result,)) > len(MEGABYTE) // BYTES_PER_TOKEN
    assert tokens_of((returned(MEGABYTE),)) > len(MEGABYTE) // BYTES_PER_TOKEN


def test_in_memory_a_picture_has_all_of_its_bytes() -> None:
    seen = message(returned({"data": MEGABYTE, "mime_type": "image/png", "text": ""}))
    words = message(Text(text="x" * 400))

    assert bytes_of(seen) > len(MEGABYTE)
    assert 400 <= bytes_of(words) <= 440
