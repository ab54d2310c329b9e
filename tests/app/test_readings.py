from chatd.app.readings import live_readings
from chatd.kit.clock import SystemClock
from chatd.live.episodes.board import Board
from chatd.live.streams import StreamKind, Streams


def test_open_streams_are_told_by_what_they_show_and_how_none_being_a_number_too() -> None:
    clock = SystemClock()
    streams = Streams(clock)
    chat, list_ = StreamKind("chat", "websocket"), StreamKind("list", "sse")
    guest = StreamKind("guest", "websocket")

    with streams.open(chat), streams.open(chat), streams.open(list_), streams.open(guest):
        told = [each for each in live_readings(streams, Board(clock)) if each.name == "viewers"]

    assert [(each.labels, each.value) for each in told] == [
        ({"of": "chat", "over": "sse"}, 0),
        ({"of": "chat", "over": "websocket"}, 2),
        ({"of": "list", "over": "sse"}, 1),
        ({"of": "list", "over": "websocket"}, 0),
        ({"of": "guest", "over": "sse"}, 0),
        ({"of": "guest", "over": "websocket"}, 1),
    ]
    assert (streams.counted(chat), streams.counted(list_)) == (0, 0)
