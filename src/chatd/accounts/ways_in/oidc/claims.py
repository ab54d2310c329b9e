"""What a provider says of a person, as we use it (pure)."""

from collections.abc import Iterable, Mapping
from typing import Any

from msgspec import Struct

from chatd.accounts.users import DISPLAY_NAME_LENGTH_MAX, EMAIL_LENGTH_MAX, NAME_LENGTH_MAX
from chatd.accounts.ways_in.declared import Oidc
from chatd.accounts.ways_in.oidc.failures import Failure, NotSignedIn
from chatd.domain.people.roles import UserRole
from chatd.kit.text import is_plain, one_line, shortened

SUBJECT_LENGTH_MAX = 255
# Values of the claim that are looked at. A user is in fewer groups here: `provider_groups.py` says how many.
GROUPS_MAX = 1000
# The strongest first: one who is in several groups has the best of their roles.
RANK = (UserRole.ADMIN, UserRole.AUDITOR, UserRole.MEMBER, UserRole.VIEWER)


class Person(Struct, frozen=True, kw_only=True):
    subject: str
    # What the user would be called; not necessarily free.
    name: str
    display_name: str = ""
    email: str | None = None
    email_verified: bool = False
    # None: the settings name no claim for them.
    groups: tuple[str, ...] | None = None


def wanted_claims(way: Oidc) -> Iterable[str]:
    """What has to be asked for elsewhere if it is not in the ID token."""
    yield way.name_claim
    if way.groups_claim is not None:
        yield way.groups_claim
    if way.link_by_email:
        yield "email"


def person_in(claims: Mapping[str, Any], way: Oidc) -> Person:
    """Raises NotSignedIn for one who cannot be told from others."""
    subject = claims["sub"]
    if not isinstance(subject, str) or len(subject) > SUBJECT_LENGTH_MAX or "\0" in subject:
        raise NotSignedIn(Failure.TOKEN, "the subject of the ID token cannot be kept")
    email = claims.get("email")
    if not isinstance(email, str) or len(email) > EMAIL_LENGTH_MAX or not is_plain(email) or "@" not in email:
        email = None
    shown = claims.get("name")
    return Person(
        subject=subject,
        name=_name(claims.get(way.name_claim), email, subject),
        display_name=shortened(one_line(shown), DISPLAY_NAME_LENGTH_MAX) if isinstance(shown, str) else "",
        email=email,
        # Some providers send it as text.
        email_verified=email is not None and claims.get("email_verified") in (True, "true"),
        groups=_groups(claims.get(way.groups_claim)) if way.groups_claim is not None else None,
    )


def role_of(person: Person, way: Oidc) -> UserRole | None:
    """None where the settings map no roles. Raises NotSignedIn for one who may not come in."""
    groups = set(person.groups or ())
    if way.required_group is not None and way.required_group not in groups:
        raise NotSignedIn(Failure.GROUP, "the person is not in `required_group`")
    if not way.role_map:
        return None
    mapped = {role for group, role in way.role_map.items() if group in groups}
    found = next((role for role in RANK if role in mapped), None)
    if found is None and way.role_strict:
        raise NotSignedIn(Failure.GROUP, "no group of the person is in `role_map`, and `role_strict` is on")
    return found or way.role_default


def _name(claim: object, email: str | None, subject: str) -> str:
    for told in (claim, email, subject):
        name = one_line(told) if isinstance(told, str) else ""
        if name and is_plain(name):
            return name[:NAME_LENGTH_MAX].strip()
    return "person"


def _groups(claim: object) -> tuple[str, ...]:
    if isinstance(claim, str):
        claim = [claim]
    if not isinstance(claim, list):
        return ()
    return tuple(each for each in claim[:GROUPS_MAX] if isinstance(each, str))
