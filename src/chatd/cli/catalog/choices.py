"""Which models can be named."""

from collections.abc import Sequence

from chatd.client.answers import Model


def choices(models: Sequence[Model]) -> str:
    """For a user who named a model that does not exist: the models that can be used, or how to add one."""
    match [each.name for each in models if each.available]:
        case []:
            return "There is none that can be used. Add one with `chatd model add PROVIDER MODEL`."
        case [only]:
            return f"There is {only}."
        case names:
            return f"There are {', '.join(names)}."
