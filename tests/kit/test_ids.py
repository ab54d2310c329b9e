"""New identifiers."""

import os
import uuid

from chatd.kit.ids import new_id


def test_an_id_is_a_uuid_of_version_7() -> None:
    made = uuid.UUID(new_id())

    assert (made.version, made.variant) == (7, uuid.RFC_4122)


def test_ids_are_all_different_and_sort_by_time() -> None:
    made = [new_id() for _ in range(2000)]

    assert len(set(made)) == len(made)
    milliseconds = [each[:13] for each in made]
    assert milliseconds == sorted(milliseconds)


def test_a_forked_process_makes_other_ids() -> None:
    new_id()
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(writing, new_id().encode())
        os._exit(0)
    os.waitpid(child, 0)
    theirs = os.read(reading, 36).decode()
    os.close(reading)
    os.close(writing)

    # Apart from the time, which both may share.
    assert theirs[15:] != new_id()[15:]
