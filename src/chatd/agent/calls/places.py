"""How many calls run at once: in the whole process, and of tools that bound it themselves.

Chats stand in line for the places (`kit/concurrency/line.py`): one with a thousand calls does not keep
another's waiting. A call takes the place of its tool first, then that of the process, and gives both back
while it rests. So none that holds the last place of the process waits for anything but its own work.
"""

from collections.abc import Iterator

from chatd.domain.ids import ChatId
from chatd.kit.concurrency.line import Line
from chatd.tools.tool import AnyTool

# Of one process. A reply has bounds of its own.
CALLS_AT_ONCE_MAX = 64


class CallPlaces:
    """The places of one process."""

    def __init__(self, count: int = CALLS_AT_ONCE_MAX) -> None:
        self._all: Line[ChatId] = Line(count)
        self._of_tools: dict[tuple[str, int], Line[ChatId]] = {}

    def lines(self, tool: AnyTool | None) -> Iterator[Line[ChatId]]:
        """Those in which a call of this tool stands, one after the other. None: the tool is not known."""
        if tool is not None and tool.at_once is not None:
            yield self._line_of(tool.name, tool.at_once)
        yield self._all

    def _line_of(self, tool: str, at_once: int) -> Line[ChatId]:
        line = self._of_tools.get((tool, at_once))
        if line is None:
            # Tools come and go; one that no call uses is forgotten.
            self._of_tools = {name: each for name, each in self._of_tools.items() if not each.idle}
            line = self._of_tools[tool, at_once] = Line(at_once)
        return line


class Place:
    """The place of one call. It is given back while the call rests, and taken again."""

    def __init__(self, places: CallPlaces, chat_id: ChatId, tool: AnyTool | None) -> None:
        self._places = places
        self._chat_id = chat_id
        self._tool = tool
        self._held: list[Line[ChatId]] = []

    def take_at_once(self) -> bool:
        for line in self._places.lines(self._tool):
            if not line.take_at_once(self._chat_id):
                self.give_back()
                return False
            self._held.append(line)
        return True

    async def take(self) -> None:
        try:
            for line in self._places.lines(self._tool):
                await line.wait(self._chat_id)
                self._held.append(line)
        except BaseException:
            self.give_back()
            raise

    def give_back(self) -> None:
        """More than once is once."""
        while self._held:
            self._held.pop().give_back(self._chat_id)
