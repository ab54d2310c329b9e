"""Models of a server that has only the scripted one: for tests of everything around it."""

from chatd.domain.ids import UserId
from chatd.errors import ProviderError
from chatd.providers.model import Model
from chatd.providers.scripted.model import LABEL, NAME, ScriptedModel


class ScriptedOnly:
    """A `Models`."""

    def __init__(self, scripted: ScriptedModel) -> None:
        # How often a model was looked for: once for each time that one is to be called.
        self.looked_for = 0
        self.use(scripted)

    def use(self, scripted: ScriptedModel) -> None:
        """From now on it is this one."""
        self._models: dict[str | None, Model] = {None: scripted, "scripted": scripted, NAME: scripted}

    async def find(self, name: str | None, owner_id: UserId) -> Model:
        self.looked_for += 1
        model = self._models.get(name)
        if model is None:
            raise ProviderError(
                "config", f"There is no model {name!r} here. There is one model: {NAME}, {LABEL}."
            )
        return model
