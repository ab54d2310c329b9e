"""Bounds of what MCP servers may send. They are written by others, and some mean harm."""

# One message: a result with an image of some megabytes fits.
MESSAGE_BYTES_MAX = 8 * 1024 * 1024
# How many values one message may have; reading so many takes about a tenth of a second.
MESSAGE_VALUES_MAX = 100_000
# Lines of output that are no messages; some programs print a few before they begin.
GARBAGE_LINES_MAX = 1000

# The tools of one server: how many, in how many pages, and how much they take.
TOOLS_MAX = 500
PAGES_MAX = 50
SCHEMA_BYTES_MAX = 64 * 1024
SCHEMAS_BYTES_MAX = 4 * 1024 * 1024
SCHEMA_DEPTH_MAX = 24
SCHEMA_VALUES_MAX = 4000
NAME_CHARACTERS_MAX = 256
DESCRIPTION_CHARACTERS_MAX = 4000

# Of one chat.
SERVERS_MAX = 64
TOOLS_OF_A_CHAT_MAX = 2000

# What a call shows while it runs.
PROGRESS_LINES_MAX = 200
PROGRESS_CHARACTERS_MAX = 300
# What an error of a server may say.
REASON_CHARACTERS_MAX = 500
