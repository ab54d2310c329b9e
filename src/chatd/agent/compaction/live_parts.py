"""What viewers see of a compaction: a call when it begins, the words of the summary, its result."""

from chatd.domain.ids import CallId
from chatd.domain.message import Role
from chatd.domain.part import SUMMARY_TOOL, Json, Text, ToolCall, ToolResult
from chatd.live.episodes.board import Episode
from chatd.live.episodes.episode import LivePart, ToolResultPiece


class LiveCompaction:
    """The words are the model's, so they are shown as what the call brings, and not as the agent's."""

    def __init__(self, episode: Episode, call_id: CallId) -> None:
        self._episode = episode
        self.call = ToolCall(tool_call_id=call_id, tool_name=SUMMARY_TOOL)
        self._begins_anew = False
        self._has_words = False
        episode.add(Role.ASSISTANT, self.call)

    def ask_again(self) -> None:
        """What was said so far is void."""
        self._begins_anew = self._has_words

    def show(self, _: Role, part: LivePart) -> None:
        """Words only: what the summarizer thinks is of no use to anyone."""
        if not isinstance(part, Text):
            return
        piece = ToolResultPiece(
            tool_call_id=self.call.tool_call_id,
            tool_name=SUMMARY_TOOL,
            result_delta=part.text,
            result_reset=self._begins_anew,
        )
        self._begins_anew, self._has_words = False, True
        self._episode.add(Role.TOOL, piece)

    def result(self, result: Json, *, is_error: bool = False) -> ToolResult:
        """Shown as the end of the call; and to be kept, if the compaction is."""
        part = ToolResult(
            tool_call_id=self.call.tool_call_id,
            tool_name=SUMMARY_TOOL,
            result=result,
            is_error=is_error,
        )
        self._episode.add(Role.TOOL, part)
        return part

    def fail(self, message: str) -> ToolResult:
        return self.result({"error": message}, is_error=True)
