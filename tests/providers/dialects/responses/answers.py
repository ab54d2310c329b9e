"""Whole answers of every kind, for what has to hold of all of them."""

from collections.abc import Mapping, Sequence

from tests.providers.dialects.responses.wire import (
    Event,
    added,
    argument_delta,
    call,
    call_item,
    citation,
    completed,
    created,
    done,
    incomplete,
    message,
    reasoning,
    search,
    text_delta,
)

REFUSED: Sequence[Event] = (
    created(),
    added(0, {"id": "msg_1", "type": "message", "role": "assistant", "content": []}),
    {
        "type": "response.content_part.added",
        "output_index": 0,
        "content_index": 0,
        "item_id": "msg_1",
        "part": {"type": "refusal", "refusal": ""},
    },
    *(
        {
            "type": "response.refusal.delta",
            "output_index": 0,
            "content_index": 0,
            "item_id": "msg_1",
            "delta": piece,
        }
        for piece in ("I cannot ", "help.")
    ),
    {
        "type": "response.refusal.done",
        "output_index": 0,
        "content_index": 0,
        "item_id": "msg_1",
        "refusal": "I cannot help.",
    },
    {
        "type": "response.content_part.done",
        "output_index": 0,
        "content_index": 0,
        "item_id": "msg_1",
        "part": {"type": "refusal", "refusal": "I cannot help."},
    },
    done(
        0,
        {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "content": [{"type": "refusal", "refusal": "I cannot help."}],
        },
    ),
    completed(),
)

COMPUTER_CALL: Event = {
    "id": "cu_1",
    "type": "computer_call",
    "call_id": "call_screen",
    "status": "completed",
    "actions": [{"type": "click", "button": "left", "x": 3, "y": 4}, {"type": "type", "text": "tides"}],
    "pending_safety_checks": [{"id": "sc_1", "code": "malicious_instructions", "message": "Look twice."}],
}

ANSWERS: Mapping[str, Sequence[Event]] = {
    "text": (created(), *message(0, "msg_1", "Hel", "lo, ", "wörld 🌍."), completed()),
    "thoughts and a call": (
        created(),
        *reasoning(0, "rs_1", "I should look.", "Then answer."),
        *call(1, "fc_1", "call_1", "read_file", '{"path"', ':"a.txt"}'),
        completed(),
    ),
    "silent thoughts and text": (
        created(),
        *reasoning(0, "rs_1"),
        *message(1, "msg_1", "Done.", phase="final_answer"),
        completed(),
    ),
    "two calls, interleaved": (
        created(),
        *message(0, "msg_1", "Let me look.", phase="commentary"),
        added(1, call_item("fc_1", "call_1", "read_file", "", "in_progress")),
        added(2, call_item("fc_2", "call_2", "list_files", "", "in_progress")),
        argument_delta(1, "fc_1", '{"pa'),
        argument_delta(2, "fc_2", '{"folder":'),
        argument_delta(1, "fc_1", 'th":"a"}'),
        argument_delta(2, "fc_2", '"src"}'),
        done(1, call_item("fc_1", "call_1", "read_file", '{"path":"a"}')),
        done(2, call_item("fc_2", "call_2", "list_files", '{"folder":"src"}')),
        completed(),
    ),
    "thoughts, a search, thoughts, cited text": (
        created(),
        *reasoning(0, "rs_1", "Search first."),
        *search(1, "ws_1"),
        *reasoning(2, "rs_2", "Now I know."),
        *message(
            3,
            "msg_1",
            "Tides ",
            "come.",
            annotations=[citation("https://a.example"), citation("https://b.example")],
        ),
        completed(),
    ),
    "a refusal": REFUSED,
    "cut off in the middle of a call": (
        created(),
        *message(0, "msg_1", "I write it down."),
        added(1, call_item("fc_1", "call_1", "write_file", "", "in_progress")),
        argument_delta(1, "fc_1", '{"text":"once upon'),
        done(1, call_item("fc_1", "call_1", "write_file", '{"text":"once upon', "incomplete")),
        incomplete("max_output_tokens"),
    ),
    "a computer": (
        created(),
        *reasoning(0, "rs_1", "Click there."),
        added(1, {**COMPUTER_CALL, "status": "in_progress"}),
        done(1, COMPUTER_CALL),
        completed(),
    ),
    "two parts in one message": (
        created(),
        added(0, {"id": "msg_1", "type": "message", "role": "assistant", "content": []}),
        text_delta(0, "msg_1", "One.", 0),
        text_delta(0, "msg_1", "Two.", 1),
        done(
            0,
            {
                "id": "msg_1",
                "type": "message",
                "role": "assistant",
                "content": [{"type": "output_text", "text": text} for text in ("One.", "Two.")],
            },
        ),
        completed(),
    ),
}
