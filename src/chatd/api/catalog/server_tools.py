"""Which names a client tool cannot have: those of tools that the server runs itself for the chat's model."""

from chatd.api import bodies
from chatd.api.router import Asked, B, Q

NONE: frozenset[str] = frozenset()


async def server_tools(asked: Asked[Q, B], body: bodies.SetsUp, model_name: str | None) -> frozenset[str]:
    """The names in the toolbox of this model, or of the default one for None."""
    if not may_collide(asked, body):
        return NONE
    inventory = await asked.server.catalog_store.inventory()
    model = (inventory.named(model_name) if model_name is not None else None) or inventory.default
    provider = inventory.provider(model.provider_id) if model is not None else None
    return asked.server.tool_names.get(provider.type, NONE) if provider is not None else NONE


def may_collide(asked: Asked[Q, B], body: bodies.SetsUp) -> bool:
    """Whether a client tool has the name of a tool of some model: almost never, so this is asked first."""
    given = {tool.name for tool in body.client_tools or ()}
    return any(given & names for names in asked.server.tool_names.values())
