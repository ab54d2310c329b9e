"""What people and the model are told of a restore (pure)."""

from collections import Counter
from collections.abc import Sequence

from chatd.domain.message import Role
from chatd.domain.transitions.messages.note_restore import NoteRestore
from chatd.kit.codec import encode_text
from chatd.kit.text import shortened
from chatd.storage.reads.checkpoints import Said
from chatd.workspaces.checkpoints import Deed, LeftFile, Restored

# Named to the model. It may look for the others.
NAMED_MAX = 50
PATH_LENGTH_MAX = 300

_PREFACE = "[A note of the server, which the user did not write.]"
_ADVICE = (
    "So files are not as earlier messages and results say. Read a file again before you rely on it. "
    "What your commands did beside changing these files is not undone."
)


def note(restored: Restored, message_id: int | None, said: Said | None) -> NoteRestore:
    """Before it is done. Without a message it is an undo."""
    if message_id is None:
        notice = "The last restore of files was undone"
        text = "The user has undone the last restore of files: they are as they were before it."
    else:
        notice = f"Files were brought back as they were before message {message_id}"
        text = f"The user has brought files of the workspace back as they were {_when(said)}."
    lines = [f"{_PREFACE} {text} {_ADVICE}", *_named(restored)]
    return NoteRestore(notice=f"{notice}: {_counted(restored)}.", for_model="\n".join(lines))


def amendment(failed: Sequence[LeftFile]) -> NoteRestore:
    """Some of it could not be done."""
    count = len(failed)
    lines = [f"- {_quoted(each.path)}: {each.reason}" for each in failed[:NAMED_MAX]]
    text = f"{_PREFACE} {count} of these files could not be brought back, and are as they were:"
    return NoteRestore(
        notice=f"{count} files could not be brought back.", for_model="\n".join([text, *lines, *_more(count)])
    )


def cut_off(why: str) -> NoteRestore:
    return NoteRestore(
        notice=f"The restore was cut off: {why} Repeat it, or undo it.",
        for_model=f"{_PREFACE} The restore was cut off. Some files are as before it, and some as after it.",
    )


def _when(said: Said | None) -> str:
    if said is None or said.role is not Role.USER or not said.words:
        return "before one of your earlier steps"
    return f"before the user's message that begins {encode_text(said.words)}"


def _counted(restored: Restored) -> str:
    deeds = Counter(file.deed for file in restored.files)
    counts = [f"{deeds[deed]} {deed.value}" for deed in Deed if deeds[deed]]
    return ", ".join([*counts, *([f"{restored.more_files} more"] if restored.more_files else [])])


def _named(restored: Restored) -> list[str]:
    lines = [f"- {file.deed.value}: {_quoted(file.path)}" for file in restored.files[:NAMED_MAX]]
    return [*lines, *_more(len(restored.files) + restored.more_files)]


def _more(count: int) -> list[str]:
    return [f"- and {count - NAMED_MAX} more"] if count > NAMED_MAX else []


def _quoted(path: str) -> str:
    """On one line, whatever it is called: a name must not pass for words of ours."""
    return shortened(encode_text(path), PATH_LENGTH_MAX)
