"""What is known of an answer while it is being said.

Everything is found by its place in the output, not by its id: some servers give one item a new id in
every frame.
"""

from collections.abc import Callable, Iterable

from chatd.domain.part import Json
from chatd.providers.dialects.responses.frames import NOWHERE


class Block:
    """A part of a message: text, or a refusal."""

    __slots__ = ("ended", "name", "refusal", "said")

    def __init__(self, name: str) -> None:
        self.name = name
        self.refusal = False
        self.said = False
        self.ended = False


class Place:
    """An output item while it is being said."""

    def __init__(self, item_id: str) -> None:
        self.id = item_id
        self.kind = ""
        self.done = False
        # A message: its parts, by their number.
        self.phase: str | None = None
        self.blocks: dict[int, Block] = {}
        # Reasoning: its name once it has said something, whether it is over, which of its parts spoke last.
        self.reasoning = ""
        self.reasoning_ended = False
        self.last_part: tuple[str, int] | None = None
        # A call, from its first frame on.
        self.call_id = ""
        self.tool = ""
        self.pieces: list[str] = []
        # Its arguments, as said to be final.
        self.arguments: str | None = None

    @property
    def streamed(self) -> str:
        return "".join(self.pieces)


class Places:
    def __init__(self, new_id: Callable[[], str]) -> None:
        self.new_id = new_id
        # The item directly before, if it is of a kind that others do not go back without.
        self.lead = ""
        self._places: dict[int, Place] = {}
        self._indexes: dict[str, int] = {}
        self._names: set[str] = set()

    def all(self) -> Iterable[Place]:
        return self._places.values()

    def at(self, index: int, item_id: str) -> Place:
        """The place of an item, which is new if no frame has named it yet."""
        nowhere = index < 0
        place = self.find(index, item_id) if nowhere else self._places.get(index)
        if place is None:
            if nowhere:
                # No index of the provider's own is negative, so that these are free.
                index = -2 - len(self._places)
            place = self._places[index] = Place(item_id)
            if item_id:
                self._indexes.setdefault(item_id, index)
        return place

    def find(self, index: int, item_id: str) -> Place | None:
        """What stands there; or, if nothing does, what has that id."""
        place = self._places.get(index) if index >= 0 else None
        return place or self._places.get(self._indexes.get(item_id, NOWHERE))

    def unique(self, wanted: str) -> str:
        """A name that nothing else in this answer has: the wanted one, if it can be had."""
        name = wanted if wanted and wanted not in self._names else self.new_id()
        self._names.add(name)
        return name

    def bonds(self, item_id: str) -> dict[str, Json]:
        """The item's name, and that of the one that led to it."""
        return {"id": item_id, "after": self.lead} if self.lead else {"id": item_id}
