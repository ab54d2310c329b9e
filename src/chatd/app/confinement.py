"""What confines agents and their commands: decided by the settings, for all of them."""

import os
from collections.abc import Sequence
from pathlib import Path

import structlog

from chatd.settings import Approvals, Settings
from chatd.settings.sources import default_data_dir
from chatd.storage.open import sqlite_path
from chatd.workspaces.local.sandbox.confine import (
    Confinement,
    check_paths,
    mode_for,
)
from chatd.workspaces.local.sandbox.limits import MIB, Limits
from chatd.workspaces.places import Places, places_at

log = structlog.get_logger()


def places_of(settings: Settings, private: Sequence[Path]) -> Places:
    """Where agents may work. Raises Misconfigured."""
    return places_at(
        settings.workspace,
        settings.data_dir,
        private,
        usual_data_dir=default_data_dir(os.environ),
        shared=settings.workspace_shared,
    )


def confinement_of(settings: Settings, private: Sequence[Path]) -> Confinement:
    """What an administrator has decided for all commands. Raises Misconfigured."""
    memory = settings.command_memory_mib * MIB
    limits = Limits(
        processes=settings.command_processes,
        memory_bytes=memory,
        process_memory_bytes=min(memory, Limits().process_memory_bytes),
        file_bytes=settings.command_file_mib * MIB,
        cpu_seconds=settings.command_cpu_seconds,
    )
    asks = settings.approvals is Approvals.ASK
    confinement = Confinement(
        mode=mode_for(settings.sandbox, asks=asks, shared=settings.workspace_shared),
        network=settings.sandbox_network,
        hidden=(settings.data_dir, *private),
        readable=settings.sandbox_readable,
        writable=settings.sandbox_writable,
        passed=frozenset(settings.command_variables),
        limits=limits,
    )
    check_paths(confinement)
    return confinement


def database_files(settings: Settings) -> Sequence[Path]:
    """Also those that SQLite makes beside it."""
    path = sqlite_path(settings.database)
    return [path.with_name(path.name + end) for end in ("", "-wal", "-shm")] if path is not None else []
