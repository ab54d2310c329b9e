"""Everything that can be asked is decided on by a person: each route and stream, and each field of a request.

`decided.json` says what each field does, in the words of the table of deeds. What is new or different
fails here until somebody has thought about who may do it and has written it down there.
"""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path

from chatd.api.router import AnyRoute
from chatd.api.routes import ROUTES, STREAMS

PAGE = Path(__file__).parent / "decided.json"


def test_every_route_stream_and_field_was_decided_on() -> None:
    now = as_served()
    decided = json.loads(PAGE.read_text(encoding="utf-8"))

    undecided = [f'  "{name}": "{deeds}",' for name, deeds in now.items() if decided.get(name) != deeds]
    assert not undecided, (
        f"Who may do this? Look at each field: is it the deed of its route, or one of `by_field`? Then write "
        f"these lines into tests/house/{PAGE.name}:\n" + "\n".join(undecided)
    )
    assert [name for name in decided if name not in now] == [], f"Take these out of tests/house/{PAGE.name}."
    assert list(decided) == sorted(decided), f"Put tests/house/{PAGE.name} in order."


def as_served() -> Mapping[str, str]:
    routes = {f"{route.method} {route.path}": in_words(route) for route in ROUTES}
    streams = {
        f"STREAM {stream.path}": _said(
            {stream.deed: stream.query.__struct_fields__}, for_guests=stream.for_guests
        )
        for stream in STREAMS
    }
    return routes | streams


def in_words(route: AnyRoute) -> str:
    """The deeds of a route, each with the fields that are it."""
    others = {**route.by_field, **getattr(route, "instead", {})}
    fields: dict[str, list[str]] = {route.deed: []}
    for name in (*route.query.__struct_fields__, *route.body.__struct_fields__):
        fields.setdefault(others.get(name, route.deed), []).append(name)
    return _said(fields, for_guests=route.for_guests)


def _said(fields: Mapping[str, Iterable[str]], *, for_guests: bool) -> str:
    """What guests may ask for is open to anybody with a public link."""
    return ("guests: " if for_guests else "") + "; ".join(
        f"{deed}: {', '.join(names)}".rstrip(": ") for deed, names in fields.items()
    )
