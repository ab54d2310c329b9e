import json
import logging
from collections.abc import Iterator
from io import StringIO

import pytest
import structlog

from chatd.kit import log


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    """Logging belongs to the whole process: leave it as it was found."""
    root = logging.getLogger()
    handlers, level, configuration = root.handlers[:], root.level, structlog.get_config()
    yield
    root.handlers[:], root.level = handlers, level
    structlog.configure(**configuration)


def test_scripts_get_json_from_us_and_from_libraries() -> None:
    stream = StringIO()
    log.set_up(level="info", pretty=False, stream=stream)

    structlog.get_logger().info("turn.finished", steps=4)
    logging.getLogger("some.library").warning("careful, %s", "you")

    ours, theirs = (json.loads(line) for line in stream.getvalue().splitlines())
    assert (ours["event"], ours["level"], ours["steps"]) == ("turn.finished", "info", 4)
    assert (theirs["event"], theirs["level"]) == ("careful, you", "warning")


def test_what_is_no_valid_text_is_logged_all_the_same() -> None:
    stream = StringIO()
    log.set_up(level="info", pretty=False, stream=stream)

    structlog.get_logger().info("strange", said="\ud800", what={1: object}, how=1.5)

    (line,) = (json.loads(line) for line in stream.getvalue().splitlines())
    assert (line["said"], line["how"]) == ("\ud800", 1.5)


def test_a_line_is_written_at_once() -> None:
    """Two writes would be mixed up with those of another process, and cost twice as much."""
    written: list[str] = []

    class Counting(StringIO):
        def write(self, text: str, /) -> int:
            written.append(text)
            return len(text)

    log.set_up(level="info", pretty=False, stream=Counting())
    structlog.get_logger().info("turn.finished")

    assert len(written) == 1


def test_people_get_a_line_they_can_read() -> None:
    stream = StringIO()
    log.set_up(level="info", pretty=True, stream=stream)

    structlog.get_logger().info("turn.finished", steps=4)

    assert "turn.finished" in stream.getvalue()
    assert not stream.getvalue().startswith("{")


def test_less_important_things_are_left_out() -> None:
    stream = StringIO()
    log.set_up(level="warning", pretty=False, stream=stream)

    structlog.get_logger().info("turn.finished")
    logging.getLogger("some.library").info("hello")

    assert stream.getvalue() == ""


@pytest.mark.parametrize("pretty", [False, True])
def test_a_traceback_shows_no_variables(*, pretty: bool) -> None:
    """They hold what people said."""
    stream = StringIO()
    log.set_up(level="info", pretty=pretty, stream=stream)

    said = "secret " + "words"
    try:
        int(said[:0])
    except ValueError:
        structlog.get_logger().exception("request.failed")

    assert "ValueError" in stream.getvalue()
    assert "secret words" not in stream.getvalue()


def test_an_error_that_was_expected_is_a_sentence_and_any_other_a_traceback() -> None:
    stream = StringIO()
    log.set_up(level="info", pretty=False, stream=stream, expected=(ConnectionError,))

    def fail(error: Exception) -> None:
        raise error

    for error in (ConnectionResetError("The wire is cut."), ValueError("ours")):
        try:
            fail(error)
        except (ConnectionError, ValueError):
            structlog.get_logger().warning("look.failed", exc_info=True)

    expected, other = (json.loads(line) for line in stream.getvalue().splitlines())
    assert (expected["error"], expected["kind"]) == ("The wire is cut.", "ConnectionResetError")
    assert "exception" not in expected
    assert "Traceback" in other["exception"]


def test_an_expected_error_that_comes_again_and_again_is_logged_once_for_each_event() -> None:
    stream = StringIO()
    log.set_up(level="info", pretty=False, stream=stream, expected=(ConnectionError,))

    for event in ("look.failed", "beat.failed", "look.failed", "look.failed"):
        try:
            raise ConnectionResetError
        except ConnectionError:
            structlog.get_logger().warning(event, exc_info=True)
        structlog.get_logger().info(event)

    lines = [json.loads(line) for line in stream.getvalue().splitlines()]
    assert [line["event"] for line in lines if line["level"] == "warning"] == ["look.failed", "beat.failed"]
    assert len([line for line in lines if line["level"] == "info"]) == 4
