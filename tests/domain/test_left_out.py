"""Files for which a chat has no room."""

from chatd.domain.call import CallResult
from chatd.domain.decision.left_out import (
    NO_ROOM_FOR_FILES,
    NO_ROOM_FOR_FURTHER,
    NO_ROOM_FOR_MEDIA,
    within_room,
)
from chatd.domain.decision.locked import Files
from chatd.domain.ids import FileId
from chatd.domain.limits import FILES_MAX, MEDIA_MAX
from chatd.domain.part import File

SHOWN, BESIDE = (File(file_id=FileId(name), media_type="image/png") for name in ("shown", "beside"))
NEW = {SHOWN.file_id, BESIDE.file_id}
PICTURES = CallResult(
    result={"mime_type": "image/png", "text": "two dots"}, is_media=True, media=SHOWN, files=(BESIDE,)
)


def test_files_for_which_there_is_room_stay() -> None:
    assert within_room(Files(link_count=FILES_MAX - 1), PICTURES, NEW) == PICTURES


def test_what_a_tool_shows_stays_although_there_is_no_room_for_files_beside_it() -> None:
    assert within_room(Files(link_count=FILES_MAX), PICTURES, NEW) == CallResult(
        result={"mime_type": "image/png", "text": f"two dots\n\n{NO_ROOM_FOR_FURTHER}"},
        is_media=True,
        media=SHOWN,
    )


def test_words_stay_where_there_is_room_for_neither() -> None:
    full = Files(link_count=FILES_MAX, media_count=MEDIA_MAX)

    assert within_room(full, PICTURES, NEW) == CallResult(
        result={"output": f"two dots\n\n{NO_ROOM_FOR_FURTHER}\n\n{NO_ROOM_FOR_MEDIA}"}
    )


def test_a_call_that_was_to_attach_a_file_fails_without_room_for_it() -> None:
    attached = CallResult(result={"name": "plan.txt"}, files=(BESIDE,))

    assert within_room(Files(link_count=FILES_MAX), attached, NEW) == CallResult(
        result={"error": NO_ROOM_FOR_FILES}, is_error=True
    )
