"""What the pages say about a connection pooler is what the server sends to PostgreSQL when it connects."""

import re

from chatd.storage.postgres.database import CONNECTIONS_MAX, SERVER_SETTINGS, URGENT_CONNECTIONS_MAX
from tests.house.repository import read

PAGE = "docs/operate/database.md"
# PgBouncer passes it on by itself.
PASSED_ON = {"application_name"}
# Of the connection itself, and with a pooler in between that is not the one that a server holds.
OF_THE_CONNECTION = {"tcp_keepalives_idle", "tcp_keepalives_interval", "tcp_keepalives_count"}


def test_a_pooler_is_told_to_leave_out_every_setting_that_it_does_not_pass_on() -> None:
    (ignored,) = re.findall(r"^ignore_startup_parameters = (.*)$", read(PAGE), re.MULTILINE)

    assert set(ignored.split(", ")) == SERVER_SETTINGS.keys() - PASSED_ON


def test_what_a_pooler_leaves_out_is_given_to_the_role_with_the_same_value() -> None:
    given = dict(re.findall(r"^ALTER ROLE chatd SET (\w+) = '([^']+)';$", read(PAGE), re.MULTILINE))

    assert given == {
        name: value for name, value in SERVER_SETTINGS.items() if name not in PASSED_ON | OF_THE_CONNECTION
    }


def test_the_page_says_how_many_connections_a_server_takes() -> None:
    # The last one is for hints.
    assert CONNECTIONS_MAX + URGENT_CONNECTIONS_MAX + 1 == 13
    assert "thirteen connections at most" in read(PAGE)
