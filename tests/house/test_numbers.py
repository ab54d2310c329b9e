"""Numbers that pages tell are those of the code. Whoever changes one finds here which page has to follow."""

import pytest

from chatd.agent.hold import unsaved
from chatd.api.bodies.fields import CARRIED_MESSAGES_MAX, HISTORY_MESSAGES_MAX
from chatd.api.files.files import FILE_BYTES_MAX
from chatd.api.serving import intake, uploads
from chatd.api.serving.connections import protocol, server, write_timeout
from chatd.api.serving.limits import admission, guests
from chatd.api.serving.limits.rate import BUCKETS_MAX
from chatd.app import beside
from chatd.app.serve import STOP_SECONDS
from chatd.domain import limits
from chatd.live.encoded import ENCODED_BYTES_MAX
from chatd.live.episodes import board
from chatd.live.episodes.reply_bytes import REPLIES_BYTES_MAX
from chatd.providers.http_model import ANSWER_BYTES_MAX
from chatd.storage.postgres.database import CLOSE_SECONDS, STATEMENT_SECONDS
from chatd.storage.reads.chunks import CHUNK_CHARACTERS_MAX, CHUNK_MESSAGES_MAX
from chatd.storage.tables.files import UNUSED_BYTES_MAX, UNUSED_DAYS
from chatd.worker.room import RUNNERS_MAX, RUNNERS_PER_USER_MAX
from chatd.worker.worker import GRACE_SECONDS
from tests.house.repository import read


def kib(count: int) -> str:
    return f"{count // 1024} KiB"


def mib(count: int) -> str:
    return f"{count // 1024**2} MiB"


HELD = admission.REQUEST_LIMITS

LIMITS = [
    f"| a request's head | {kib(protocol.HEAD_BYTES_MAX)}, within {protocol.HEAD_SECONDS:.0f} seconds |",
    (
        f"| a request's body | {kib(intake.BODY_BYTES_MAX)}; an import {mib(intake.IMPORT_BYTES_MAX)}, "
        f"a file {mib(FILE_BYTES_MAX)}; within {intake.BODY_SECONDS:.0f} seconds |"
    ),
    f"one file; {kib(uploads.FORM_BYTES_MAX)} around it, {uploads.HEADERS_MAX} headers",
    f"if it is more than {kib(intake.BODY_BYTES_MAX)}; {HISTORY_MESSAGES_MAX} messages",
    f"| trailers and chunk extensions | {kib(protocol.FRAMING_BYTES_MAX)} |",
    f"{mib(ANSWER_BYTES_MAX)}, and {mib(REPLIES_BYTES_MAX)} of all answers under way",
    (
        f"| {limits.PARTS_PER_MESSAGE_MAX:,} parts, {limits.CALLS_PER_MESSAGE_MAX} tool calls, "
        f"{limits.FILES_PER_MESSAGE_MAX} files, {mib(limits.ARGS_BYTES_MAX)} of arguments"
    ),
    f"| {mib(protocol.LINGER_BYTES_MAX)}, within {protocol.LINGER_SECONDS:.0f} seconds |",
    f"| requests that wait on one connection | {protocol.PIPELINED_MAX} |",
    f"| connections, streams among them | {server.CONNECTIONS_MAX:,} of one server |",
    f"| uploads at once | {admission.UPLOADS_PER_USER_MAX} of one user, {admission.UPLOADS_MAX} in all |",
    f"| imports at once | {admission.IMPORTS_PER_USER_MAX} of one user, {admission.IMPORTS_MAX} in all |",
    f"| imports in a row | {admission.IMPORTS_IN_A_ROW_MAX} of one user",
    f"| an imported chat | {CARRIED_MESSAGES_MAX:,} messages",
    f"{intake.JSON_VALUES_MAX:,} JSON values",
    f"{mib(UNUSED_BYTES_MAX)} of one user; they are removed when they are {UNUSED_DAYS} days old",
    f"{mib(HELD.held_bytes_per_user_max)} of one user, {mib(HELD.held_bytes_max)} in all",
    (
        f"{guests.STREAMS_PER_ADDRESS_MAX} from one address; {guests.STREAMS_PER_LINK_MAX} of one link, "
        f"{guests.STREAMS_MAX} in all"
    ),
    (
        f"{mib(HELD.held_bytes_per_user_max // guests.HELD_PARTS)} for one address, "
        f"{mib(HELD.held_bytes_max // guests.HELD_PARTS)} in all"
    ),
    f"| {RUNNERS_PER_USER_MAX:,} of one user, {RUNNERS_MAX:,} in all |",
    f"for the {BUCKETS_MAX:,} callers of a kind",
    f"is reset after {write_timeout.SEND_SECONDS:.0f} seconds",
    f"At most {kib(write_timeout.UNSENT_BYTES_MAX)} wait for each connection",
    f"chunks of {CHUNK_MESSAGES_MAX} messages or {CHUNK_CHARACTERS_MAX // 1024} Ki characters",
    f"kept for all who look at them, {mib(ENCODED_BYTES_MAX)} at most",
    f"kept for {board.RETENTION_SECONDS} seconds after it has ended",
    f"of all replies together at most {mib(board.CLOSED_BYTES_MAX)}",
]
RUN = [
    (
        f"requests {server.GRACE_SECONDS} seconds, agents {beside.WORKER_STOP_SECONDS:.0f} "
        f"(a step that can be committed within {GRACE_SECONDS:.0f} is"
    ),
    f"what runs beside them {beside.BESIDE_STOP_SECONDS:.0f}, connections to PostgreSQL {CLOSE_SECONDS:.0f}.",
    f"After {STOP_SECONDS:.0f} seconds in all",
]
DATABASE = [
    f"A statement may take {STATEMENT_SECONDS} seconds",
    f"for up to an hour, {mib(unsaved.UNSAVED_BYTES_MAX)} in all",
]
ARCHITECTURE = [
    f"and {board.RETENTION_SECONDS} seconds more; of closed ones at most {mib(board.CLOSED_BYTES_MAX)} |",
    f"| messages as JSON | memory, {mib(ENCODED_BYTES_MAX)} |",
    f"| replies under way | memory, {mib(REPLIES_BYTES_MAX)} of them in a process |",
    f"| parts being spoken | memory, {mib(board.EPISODE_BYTES_MAX)} of words for each episode |",
]
TOLD = {
    "docs/operate/limits.md": LIMITS,
    "docs/operate/run.md": RUN,
    "docs/operate/database.md": DATABASE,
    "ARCHITECTURE.md": ARCHITECTURE,
}


@pytest.mark.parametrize("page", TOLD)
def test_the_numbers_of_a_page_are_those_of_the_code(page: str) -> None:
    text = read(page)

    assert [words for words in TOLD[page] if words not in text] == []
