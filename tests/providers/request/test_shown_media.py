"""Of what tools have shown, a prompt has the newest within a bound, and the same after a restart."""

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from chatd.domain.ids import CallId, FileId
from chatd.domain.message import Message, Role
from chatd.domain.part import File, Json, ToolResult
from chatd.providers.model import Request, Transcript
from chatd.providers.request.prepare import NOT_SHOWN_AGAIN
from chatd.providers.request.shown_media import SHOWN_BYTES_MAX, SHOWN_COUNT_MAX, ShownMedia
from chatd.providers.request.wire_turn import Returned
from chatd.providers.request.writer import RequestWriter
from tests.providers.histories import TARGET, call, message, reply, user
from tests.providers.request.test_writer import Plain

MIB = 1024 * 1024
LEFT_OUT = NOT_SHOWN_AGAIN.format(type="image/png")


class Seeing(Plain):
    """Writes down which pictures a result comes with."""

    def _words(self, part: object) -> str:
        if not isinstance(part, Returned):
            return super()._words(part)
        return " ".join(each.data.decode() for each in part.attachments) or part.text


def shows(name: str, size_bytes: int) -> Message:
    media = File(file_id=FileId(name), media_type="image/png", size_bytes=size_bytes)
    told = {"mime_type": "image/png", "text": ""}
    part = ToolResult(tool_call_id=CallId("c"), tool_name="echo", result=told, is_media=True, media=media)
    return message(Role.TOOL, part)


def rounds(sizes: list[int]) -> list[Message]:
    history = [user("Look.")]
    for number, size in enumerate(sizes):
        history += [reply(call("c")), shows(f"p{number}", size)]
    return history


def sent(messages: list[Message]) -> Json:
    prompt = RequestWriter(Request(messages=messages), TARGET, Seeing())
    files = {file_id: file_id.encode() for file_id in prompt.files()}
    return msgspec.json.decode(prompt.write(files).json)


def seen(body: Json) -> list[str]:
    """What stands where a picture was, in order."""
    return [words for item in body["messages"] if item["role"] == "tool" for words in item["parts"]]


def test_pictures_are_read_and_go_along_with_their_results() -> None:
    assert seen(sent(rounds([MIB, MIB]))) == ["p0", "p1"]


def test_of_more_than_fits_the_oldest_are_left_out_half_of_the_room_at_once() -> None:
    body = seen(sent(rounds([4 * MIB] * 4)))

    # The fourth is the one too many.
    assert SHOWN_BYTES_MAX == 14 * MIB
    assert body == [LEFT_OUT, LEFT_OUT, LEFT_OUT, "p3"]


def test_of_too_many_small_ones_the_oldest_are_left_out() -> None:
    body = seen(sent(rounds([1] * (SHOWN_COUNT_MAX + 1))))

    assert body.count(LEFT_OUT) == SHOWN_COUNT_MAX // 2 + 1
    assert body[-1] == f"p{SHOWN_COUNT_MAX}"


def test_the_newest_is_shown_however_large_it_is() -> None:
    assert seen(sent(rounds([2 * SHOWN_BYTES_MAX])))[-1] == "p0"


@given(st.lists(st.sampled_from([0, MIB, 5 * MIB, 10 * MIB]), max_size=12), st.integers(1, 3))
def test_a_restart_changes_nothing_of_what_is_shown(sizes: list[int], step: int) -> None:
    history = [*rounds(sizes), reply("So."), user("And?")]
    transcript = Transcript()

    for end in range(1, len(history) + 1, step):
        transcript.extend(history[len(transcript) : end])
        if transcript[-1].role is not Role.ASSISTANT:
            assert sent(transcript) == sent(history[:end])


@given(st.lists(st.integers(0, 11 * MIB), max_size=30))
def test_what_is_read_for_a_prompt_never_exceeds_its_bound(sizes: list[int]) -> None:
    shown = ShownMedia().after(rounds(sizes))

    read = sum(size for number, size in enumerate(sizes) if f"p{number}" in shown.files)
    assert read <= max([SHOWN_BYTES_MAX, *sizes[-1:]])
    assert shown.count == len(sizes) == shown.left_out + len(shown.files)


def test_until_the_bound_is_reached_again_the_prompt_only_grows() -> None:
    """What a provider has cached of it counts, and what we have written is not written again."""
    transcript, dialect = Transcript(rounds([2 * MIB] * 4)), Seeing()
    written = []
    for number in range(4, 14):
        transcript.extend([reply(call("c")), shows(f"p{number}", 2 * MIB)])
        before = dialect.written
        prompt = RequestWriter(Request(messages=transcript), TARGET, dialect)
        prompt.write({file_id: file_id.encode() for file_id in prompt.files()})
        written.append(dialect.written - before)

    # The first request writes everything, and so do those at which pictures fall out.
    assert [at for at, count in enumerate(written) if count > 10] == [0, 3, 8]
