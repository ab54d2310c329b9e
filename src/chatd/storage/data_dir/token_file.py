"""The file with the administrator's token, by which commands on this machine are let in."""

TOKEN_FILE = "admin-token"  # noqa: S105 - the name of a file
