"""How many files and connections this process may have open."""

import resource

# Enough for all connections that a server takes, and for what it opens beside them. Not without an end: some
# programs that are started look at each number up to theirs.
OPEN_FILES = 65_536


def allow_open_files(count: int = OPEN_FILES) -> None:
    """As many as that, or as the system allows. Often 1024 is the usual, and far more is allowed.

    A server that has none left answers nobody.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = count if hard == resource.RLIM_INFINITY else min(count, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
        except (OSError, ValueError):
            pass  # As on systems that allow fewer than they say.


def open_files_max() -> int:
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return soft if soft != resource.RLIM_INFINITY else OPEN_FILES
