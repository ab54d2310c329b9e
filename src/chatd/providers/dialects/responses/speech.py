"""Messages and reasoning: frames become text, piece by piece."""

from chatd.domain.part import Json
from chatd.providers.dialects.responses.frames import (
    NOWHERE,
    Annotation,
    AnnotationAdded,
    Delta,
    Item,
    Part,
    PartFrame,
)
from chatd.providers.dialects.responses.output import Out, Whole, document_title
from chatd.providers.dialects.responses.places import Block, Place, Places
from chatd.providers.events import BlockEnded, ReasoningDelta, SourceFound, TextDelta

_SPOKEN = frozenset({"output_text", "refusal"})


class Speech:
    def __init__(self, places: Places) -> None:
        self.refused = False
        # Words of what had been said to be over.
        self.skipped = 0
        self._refusal: list[str] = []
        self._places = places
        self._sources: set[str] = set()
        # The block that spoke last, for it is nearly always the one that speaks next.
        self._block = Block("")
        self._output_index = NOWHERE
        self._content_index = 0

    @property
    def refusal(self) -> str:
        return "".join(self._refusal)

    def text(self, frame: Delta, out: Out) -> None:
        if (
            frame.output_index != self._output_index
            or frame.content_index != self._content_index
            or frame.output_index < 0
        ):
            place = self._places.at(frame.output_index, frame.item_id)
            self._block = self._block_of(place, frame.content_index)
            self._output_index, self._content_index = frame.output_index, frame.content_index
        block = self._block
        if block.ended:
            self.skipped += 1
        elif frame.delta:
            block.said = True
            out.append(TextDelta(frame.delta, block.name))

    def refuse(self, frame: Delta, out: Out) -> None:
        self.text(frame, out)
        if not self._block.ended:
            self._block.refusal = True
            self._refused(frame.delta)

    def _refused(self, words: str) -> None:
        self.refused = True
        self._refusal.append(words)

    def part_done(self, frame: PartFrame, out: Out) -> None:
        if frame.part.type in _SPOKEN:
            place = self._places.at(frame.output_index, frame.item_id)
            self._end(place, self._block_of(place, frame.content_index), frame.part, out)

    def message_done(self, place: Place, item: Item, out: Out) -> None:
        place.phase = item.phase or place.phase
        for number, part in enumerate(item.content or ()):
            if part.type in _SPOKEN:
                self._end(place, self._block_of(place, number), part, out)
        self.leave(place, out)

    def leave(self, place: Place, out: Out) -> None:
        """No frame will say that these parts are done."""
        self._end_reasoning(place, None, out)
        for block in place.blocks.values():
            self._end(place, block, Part(), out)

    def _end_reasoning(self, place: Place, internal: Json, out: Out) -> None:
        if place.reasoning and not place.reasoning_ended:
            place.reasoning_ended = True
            out.append(BlockEnded(place.reasoning, internal))

    def _block_of(self, place: Place, content_index: int) -> Block:
        block = place.blocks.get(content_index)
        if block is None:
            name = f"{place.id}:{content_index}" if content_index and place.id else place.id
            block = place.blocks[content_index] = Block(self._places.unique(name))
            block.ended = place.done
        return block

    def _end(self, place: Place, block: Block, part: Part, out: Out) -> None:
        if block.ended:
            return
        block.ended = True
        if part.type == "refusal":
            block.refusal = True
        words = part.refusal or part.text
        if words and not block.said:
            block.said = True
            out.append(TextDelta(words, block.name))
            if block.refusal:
                self._refused(words)
        for annotation in part.annotations or ():
            self._source(annotation, out)
        if block.said:
            internal = self._places.bonds(place.id)
            if place.phase:
                internal["phase"] = place.phase
            if block.refusal:
                internal["refusal"] = True
            out.append(BlockEnded(block.name, internal))

    def annotated(self, frame: AnnotationAdded, out: Out) -> None:
        if frame.annotation is not None:
            self._source(frame.annotation, out)

    def _source(self, annotation: Annotation, out: Out) -> None:
        """Each source once, however often it is cited."""
        cited = annotation.url or annotation.file_id or annotation.filename or ""
        if cited in self._sources:
            return
        self._sources.add(cited)
        url, title = annotation.url or "", annotation.title or ""
        if not url:
            title = document_title(annotation.title, annotation.filename, annotation.file_id)
        out.append(SourceFound(self._places.new_id(), url, title))

    def summary(self, frame: Delta, out: Out) -> None:
        self._think(frame, ("summary", frame.summary_index), out)

    def thought(self, frame: Delta, out: Out) -> None:
        self._think(frame, ("content", frame.content_index), out)

    def _think(self, frame: Delta, part: tuple[str, int], out: Out) -> None:
        if not frame.delta:
            return
        place = self._places.at(frame.output_index, frame.item_id)
        if place.done:
            self.skipped += 1
            return
        if not place.reasoning:
            place.reasoning = self._places.unique(place.id)
        if place.last_part not in (None, part):
            out.append(ReasoningDelta("\n\n", place.reasoning))
        place.last_part = part
        out.append(ReasoningDelta(frame.delta, place.reasoning))

    def reasoning_done(self, place: Place, item: Item, whole: Whole, out: Out) -> None:
        """What goes back is what this frame says: what came before may not be final."""
        internal: dict[str, Json] = {
            **self._places.bonds(item.id or place.id),
            "summary": whole.get("summary") or [],
        }
        for name in ("content", "encrypted_content"):
            if whole.get(name):
                internal[name] = whole[name]
        if not place.reasoning:
            place.reasoning = self._places.unique(place.id)
            said = [part.text for part in (item.summary or item.content or ()) if part.text]
            out.append(ReasoningDelta("\n\n".join(said), place.reasoning, internal))
        self._end_reasoning(place, internal, out)
