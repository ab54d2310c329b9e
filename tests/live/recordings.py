"""Stories of one chat as a viewer is told them, recorded for everything that makes a picture of events.

Each file of `tests/recordings` has one event in each line, and in the last line the picture that they make.
`Picture` and the reducer of the web page (web/src/live/view/reduce.ts) both replay them. After a change of
events: `python -m tests.live.recordings`.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeAlias

from chatd.domain.ids import CallId, MessageId
from chatd.domain.message import Role
from chatd.domain.part import Reasoning, Text
from chatd.domain.transitions import Command
from chatd.domain.transitions.calls.require_action import RequireAction
from chatd.domain.transitions.messages.edit_message import EditMessage
from chatd.domain.transitions.turns.begin_attempt import BeginAttempt
from chatd.domain.transitions.turns.fail_turn import FailTurn
from chatd.domain.transitions.turns.finish_turn import FinishTurn
from chatd.domain.transitions.turns.interrupt import Interrupt
from chatd.domain.transitions.turns.record_retry import RecordRetry
from chatd.live.episodes.board import Board
from chatd.live.episodes.episode import EpisodeKey, LivePart, ToolCallPiece, ToolResultPiece
from chatd.live.events import Batch
from chatd.live.viewer import Viewer
from tests.clock import MovedClock
from tests.live.listening import CHAT, Picture, told
from tests.live.seeing import snapshot_of
from tests.support.model import ModelChat
from tests.words import answers, asks_first, call, create, failure, retry, said, says, send, step, user

FOLDER = Path(__file__).resolve().parent.parent / "recordings"

# So few that a chat of a few messages has older ones.
CHUNK = 3


class Recorder:
    """One chat and one viewer of it, who looks after each thing that happens."""

    def __init__(self) -> None:
        self.model = ModelChat(create(user("hello")))
        self.board = Board(MovedClock())
        self.viewer = Viewer(CHAT)
        self.events: list[dict[str, Any]] = []
        self.look()

    def happens(self, *commands: Command) -> None:
        self.model.tell(*commands)
        self.look()

    def look(self) -> None:
        while True:
            snapshot = snapshot_of(self.model, self.viewer.known, chunk=CHUNK)
            self.events += told(Batch(tuple(self.viewer.see(snapshot))))
            if not self.viewer.behind:
                return

    def says(self, *parts: LivePart, role: Role = Role.ASSISTANT) -> None:
        """The running attempt speaks, and the viewer hears it."""
        versions = self.model.chat.versions
        episode = self.board.open(EpisodeKey(CHAT, versions.history, versions.attempt))
        for part in parts:
            episode.add(role, part)
        known = self.viewer.known
        heard = known.seq if known.preview_attempt == versions.attempt else 0
        self.events += told(self.viewer.hear(episode.since(heard)))

    def comes_back(self, cursor: str | None = None) -> None:
        """The connection was lost. With a strange cursor everything is told anew."""
        self.viewer = Viewer.at(CHAT, cursor if cursor is not None else self.events[-1]["cursor"])
        self.look()


Story: TypeAlias = Callable[[Recorder], None]


def a_first_message(chat: Recorder) -> None:
    chat.happens(BeginAttempt())
    chat.says(Reasoning(text="They "), Reasoning(text="greet."), Text(text="Good "), Text(text="morn"))
    chat.says(Text(text="ing."))
    chat.happens(step(says("Good morning.")), FinishTurn())


def a_tool(chat: Recorder) -> None:
    chat.happens(BeginAttempt())
    piece = ToolCallPiece(tool_call_id=CallId("a"), tool_name="execute", args_delta='{"command":')
    chat.says(Text(text="Looking."), piece, ToolCallPiece(tool_call_id=CallId("a"), args_delta=' "ls"}'))
    chat.happens(step(says("Looking.", call("a", "execute", {"command": "ls"}))))
    shown = ("one\n", "two\n")
    chat.says(
        *(
            ToolResultPiece(tool_call_id=CallId("a"), tool_name="execute", result_delta=line)
            for line in shown
        ),
        role=Role.TOOL,
    )
    chat.happens(step(answers("a", "one\ntwo\n")))
    chat.happens(step(says("There are two.")), FinishTurn())


def an_approval(chat: Recorder) -> None:
    chat.happens(BeginAttempt())
    chat.happens(step(says("May I?", call("a", "execute")), plans=(asks_first("a"),)), RequireAction())
    chat.happens(Interrupt())


def a_retry(chat: Recorder) -> None:
    chat.happens(BeginAttempt())
    chat.says(Text(text="Half a sen"))
    chat.happens(RecordRetry(retry=retry()))
    chat.happens(BeginAttempt())
    chat.says(Text(text="A whole "))
    chat.says(Text(text="sentence."))


def a_failure_and_a_new_try(chat: Recorder) -> None:
    chat.happens(BeginAttempt())
    chat.says(Text(text="Half"))
    chat.happens(FailTurn(failure=failure("The model is gone.")))
    chat.happens(send("again"))


def a_queue(chat: Recorder) -> None:
    chat.happens(BeginAttempt())
    chat.happens(send("second"))
    chat.happens(send("third"))
    chat.happens(step(says("First.")), FinishTurn())


def an_edit(chat: Recorder) -> None:
    chat.happens(BeginAttempt())
    chat.happens(step(says("Hi.")), FinishTurn())
    chat.happens(send("more"))
    chat.happens(step(says("Of what?")), FinishTurn())
    chat.happens(EditMessage(message_id=MessageId(1), content=said("good evening")))


def coming_back_in_mid_sentence(chat: Recorder) -> None:
    chat.happens(BeginAttempt())
    chat.says(Text(text="Half a "), Text(text="sentence"))
    chat.comes_back()
    chat.says(Text(text=" and the rest."))


def coming_back_as_a_stranger(chat: Recorder) -> None:
    """The history is longer than what is told at first, and all of it is told anew."""
    for words in ("one", "two", "three"):
        chat.happens(BeginAttempt())
        chat.happens(step(says(words)), FinishTurn())
        chat.happens(send(f"after {words}"))
    chat.comes_back("0.0.strange")


STORIES: Mapping[str, Story] = {
    story.__name__: story
    for story in (
        a_first_message,
        a_tool,
        an_approval,
        a_retry,
        a_failure_and_a_new_try,
        a_queue,
        an_edit,
        coming_back_in_mid_sentence,
        coming_back_as_a_stranger,
    )
}


def recording(story: Story) -> str:
    """The file of a story."""
    recorder = Recorder()
    story(recorder)
    picture = Picture()
    picture.apply(recorder.events)
    return "".join(f"{json.dumps(line)}\n" for line in (*recorder.events, {"picture": shown(picture)}))


def shown(picture: Picture) -> dict[str, Any]:
    """What counts of a picture, in words that any reducer has."""
    return {
        "messages": [[message["id"], _words(message)] for _, message in sorted(picture.messages.items())],
        "older_than": picture.older_than or None,
        "queue": [_words(queued) for queued in picture.queue],
        "status": picture.status,
        "error": picture.error,
        "waiting": picture.waiting,
        "retry": picture.retry,
        "said": picture.said,
        "cursor": picture.cursor,
    }


def _words(message: Mapping[str, Any]) -> str:
    return "".join(_words_of_parts(message["content"]))


def _words_of_parts(parts: list[dict[str, Any]]) -> Iterator[str]:
    for part in parts:
        yield part.get("text", "")


def main() -> None:
    for name, story in STORIES.items():
        (FOLDER / f"{name}.jsonl").write_text(recording(story), encoding="utf-8")


if __name__ == "__main__":
    main()
