"""The header with which a service says for whom it asks."""

from starlette.datastructures import Headers

from chatd.accounts.services.speaking import EXTERNAL_ID_LENGTH_MAX, is_spoken_name
from chatd.accounts.users import User
from chatd.api.failures import Forbidden
from chatd.domain.people.deeds import Deed
from chatd.domain.people.permit import Allow, Standing, permit
from chatd.domain.people.roles import UserKind
from chatd.domain.people.scopes import TokenScope
from chatd.errors import BadInput

SPOKEN_FOR = "x-chatd-user"


def name_spoken_for(headers: Headers) -> str:
    """What is said once, and not twice."""
    named = headers.getlist(SPOKEN_FOR)
    if len(named) != 1 or not is_spoken_name(name := _in_utf8(named[0])):
        raise BadInput(
            "bad_value",
            f"The header `X-Chatd-User` names one user: 1 to {EXTERNAL_ID_LENGTH_MAX} visible ASCII "
            "characters, or `@` and the name of a person.",
            field="X-Chatd-User",
        )
    return name


def check_may_speak(user: User, standing: Standing) -> None:
    """Raises Forbidden."""
    if TokenScope.ACT_AS not in standing.scopes:
        raise Forbidden(
            "scope_missing",
            f"This token was not made for that: it lacks the scope `{TokenScope.ACT_AS}`.",
            hint=f"Make a token with the scope `{TokenScope.ACT_AS}`.",
        )
    if user.kind is not UserKind.SERVICE or not isinstance(permit(standing, Deed.ACT_AS), Allow):
        raise cannot_act_as("Only a service can speak for somebody.")


def cannot_act_as(message: str) -> Forbidden:
    return Forbidden(
        "cannot_act_as",
        message,
        hint="An administrator says for whom a service speaks: `acts_for` of PATCH /api/v1/services/{id}.",
    )


def _in_utf8(value: str) -> str:
    """Servers read headers byte by byte; a name of a person may have other letters."""
    return value.encode("latin-1", "replace").decode("utf-8", "replace")
