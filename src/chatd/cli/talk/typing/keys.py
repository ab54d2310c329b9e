"""What keys do in the field: send, a line break, an answer by one key."""

from typing import Protocol

from prompt_toolkit.application import get_app
from prompt_toolkit.filters import Condition
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent

# Keys with which something that the agent asks can be answered at once.
ANSWER_KEYS = "ycan123456789"


class Typist(Protocol):
    def answer_by(self, key: str) -> str | None: ...

    def unfold(self) -> None: ...


def bindings(typist: Typist) -> KeyBindings:
    keys = KeyBindings()

    @keys.add("enter")
    def send(event: KeyPressEvent) -> None:
        field = event.current_buffer
        chosen = field.complete_state.current_completion if field.complete_state is not None else None
        if chosen is not None:
            field.apply_completion(chosen)
        elif field.document.text_before_cursor.endswith("\\"):
            field.delete_before_cursor()
            field.insert_text("\n")
        else:
            field.validate_and_handle()

    @keys.add("c-j")
    @keys.add("escape", "enter")
    def line_break(event: KeyPressEvent) -> None:
        event.current_buffer.insert_text("\n")

    @keys.add("c-t")
    def unfold(_: KeyPressEvent) -> None:
        typist.unfold()

    for key in ANSWER_KEYS:
        _answer_with(keys, key, typist)
    return keys


def _answer_with(keys: KeyBindings, key: str, typist: Typist) -> None:
    def is_answer() -> bool:
        return not get_app().current_buffer.text and typist.answer_by(key) is not None

    @keys.add(key, filter=Condition(is_answer))
    def answer(event: KeyPressEvent) -> None:
        line = typist.answer_by(key)
        if line is not None:
            event.current_buffer.insert_text(line)
        if line is not None and not line.endswith(" "):
            event.current_buffer.validate_and_handle()
