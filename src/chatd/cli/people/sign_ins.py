"""chatd user sign-ins: the browsers in which a user is signed in, for administrators."""

from chatd.cli.chats.local_time import local_time
from chatd.cli.context import run_loop
from chatd.cli.out import say, say_aside, say_json, table
from chatd.cli.people.named import with_user
from chatd.client.answers import BrowserSignIn

# What browsers call themselves is long, and how it begins says least.
BROWSER_LENGTH = 60


def run(*, name: str, sign_in_id: str | None, as_json: bool, **flags: object) -> None:
    if sign_in_id is not None:
        ended = sign_in_id
        run_loop(with_user(flags, name, lambda client, user: client.end_sign_in_of(user.id, ended)))
        say_aside("That browser is signed out.")
        return
    found = run_loop(with_user(flags, name, lambda client, user: client.sign_ins_of(user.id)))
    if as_json:
        say_json({"sign_ins": found})
        return
    if not found:
        say_aside(f"{name} is signed in nowhere.")
        return
    for line in table(("ID", "BY", "LAST USED", "ADDRESS", "BROWSER"), [_row(each) for each in found]):
        say(line)


def _row(each: BrowserSignIn) -> tuple[str, ...]:
    browser = each.browser if len(each.browser) <= BROWSER_LENGTH else f"…{each.browser[-BROWSER_LENGTH:]}"
    return (each.id, each.method, local_time(each.used_at), each.address, browser)
