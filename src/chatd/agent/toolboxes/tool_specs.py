"""The tools of a chat as its model is told of them, made once and not for every request."""

from collections.abc import Sequence

from chatd.providers.model import ToolSpec
from chatd.tools.toolbox import Offer, Toolbox


class ToolSpecs:
    """Keeps `tools/` and `providers/` from importing each other."""

    def __init__(self) -> None:
        self._offers: Sequence[Offer] = ()
        self._specs: tuple[ToolSpec, ...] = ()

    def of(self, toolbox: Toolbox) -> tuple[ToolSpec, ...]:
        offers = toolbox.specs()
        if offers is not self._offers:
            self._offers = offers
            self._specs = tuple(
                ToolSpec(name=each.name, description=each.description, input_schema=each.input_schema)
                for each in offers
            )
        return self._specs
