"""What keys do in the field: send, a line break, an answer by one key, a stop."""

from typing import Protocol

from prompt_toolkit.application import get_app
from prompt_toolkit.filters import Condition, emacs_mode, is_searching
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.keys import Keys

from chatd.cli.talk.typing.pasted import Pasted

# Keys with which something that the agent asks can be answered at once.
ANSWER_KEYS = "ycan123456789"


class Typist(Protocol):
    pasted: Pasted

    def answer_by(self, key: str) -> str | None: ...

    def unfold(self) -> None: ...

    def print_output(self) -> None: ...

    def press(self) -> None: ...

    def has_queued(self) -> bool: ...

    def take_queued(self) -> None: ...

    def place(self, row: int) -> None: ...


def bindings(typist: Typist) -> KeyBindings:
    keys = KeyBindings()

    # While something is looked for with Ctrl-R, Enter takes what was found, and Ctrl-C and Ctrl-G end it.
    @keys.add("enter", filter=~is_searching)
    def send(event: KeyPressEvent) -> None:
        field = event.current_buffer
        chosen = field.complete_state.current_completion if field.complete_state is not None else None
        if chosen is not None:
            field.apply_completion(chosen)
        elif field.document.text_before_cursor.endswith("\\"):
            field.delete_before_cursor()
            field.insert_text("\n")
        else:
            field.text = typist.pasted.whole(field.text)
            field.validate_and_handle()

    @keys.add("c-j")
    @keys.add("escape", "enter")
    def line_break(event: KeyPressEvent) -> None:
        event.current_buffer.insert_text("\n")

    @keys.add("c-t")
    def unfold(_: KeyPressEvent) -> None:
        typist.unfold()

    @keys.add("c-o")
    def print_output(_: KeyPressEvent) -> None:
        typist.print_output()

    # No key: so a terminal answers where the cursor is, such as `\x1b[35;1R`.
    @keys.add(Keys.CPRResponse, save_before=lambda _: False)
    def place(event: KeyPressEvent) -> None:
        typist.place(int(event.data[2:].partition(";")[0]))

    _take_back(keys, typist)
    _edit_text(keys, typist)
    for key in ANSWER_KEYS:
        _answer_with(keys, key, typist)
    return keys


def _is_empty() -> bool:
    return not get_app().current_buffer.text


def _take_back(keys: KeyBindings, typist: Typist) -> None:
    @keys.add("c-c", filter=~is_searching)
    def press(_: KeyPressEvent) -> None:
        typist.press()

    # Behind a pause: with another key it is Alt and that key. In vi it has another meaning.
    @keys.add("escape", filter=Condition(_is_empty) & emacs_mode & ~is_searching)
    def stop(_: KeyPressEvent) -> None:
        typist.press()

    @keys.add("up", filter=Condition(lambda: _is_empty() and typist.has_queued()))
    def take_queued(_: KeyPressEvent) -> None:
        typist.take_queued()


def _edit_text(keys: KeyBindings, typist: Typist) -> None:
    @keys.add(Keys.BracketedPaste)
    def paste(event: KeyPressEvent) -> None:
        text = event.data.replace("\r\n", "\n").replace("\r", "\n")
        event.current_buffer.insert_text(typist.pasted.fold(text))

    @keys.add("backspace")
    def delete(event: KeyPressEvent) -> None:
        """Of what stands for a long text, all at once."""
        field = event.current_buffer
        mark = typist.pasted.mark_at_end(field.document.text_before_cursor)
        field.delete_before_cursor(len(mark) or 1)

    @keys.add("c-x", "c-e")
    @keys.add("c-g", filter=~is_searching)
    async def open_editor(event: KeyPressEvent) -> None:
        event.current_buffer.text = typist.pasted.whole(event.current_buffer.text)
        await event.current_buffer.open_in_editor()


def _answer_with(keys: KeyBindings, key: str, typist: Typist) -> None:
    def is_answer() -> bool:
        return _is_empty() and typist.answer_by(key) is not None

    @keys.add(key, filter=Condition(is_answer) & ~is_searching)
    def answer(event: KeyPressEvent) -> None:
        line = typist.answer_by(key)
        if line is not None:
            event.current_buffer.insert_text(line)
        if line is not None and not line.endswith(" "):
            event.current_buffer.validate_and_handle()
