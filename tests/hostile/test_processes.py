"""What commands may try in a sandbox: to leave the workspace, to see what the server keeps, to reach others,
and to use up the machine.

Each attempt is run by a real shell in a real sandbox. What is promised without one is at the end.
"""

import asyncio
import os
import socket
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path

import pytest

from chatd.workspaces.local.sandbox.confine import Confinement, SandboxMode
from chatd.workspaces.local.sandbox.limits import Limits
from chatd.workspaces.local.sandbox.mounts import SHARED_MEMORY_BYTES_MAX
from chatd.workspaces.processes import Look, Output
from tests.workspaces.local.world import PATIENCE_SECONDS, World, a_world, program

SECRET = "the-key-of-the-server"
MIB = 1024**2
# What each of these finds in its environment: the data directory of the server, and this process.
PLACES = "DATA={data}; SERVER={server}; "

SEEING = {
    "by its path": "cat $DATA/token",
    "by the names around it": "cat $DATA/* $DATA/.* $DATA/../data/token",
    "by a link in the workspace": "ln -s $DATA/token link; cat link; cp -L link copy; cat copy",
    "by a link to the directory": "ln -s $DATA link; cat link/token; ls link/",
    "by a hard link": "ln $DATA/token link; cat link",
    "by the root of a process": "cat /proc/self/root/$DATA/token /proc/1/root/$DATA/token",
    "by the directory of a process": "cat /proc/1/cwd/$DATA/token; cd /proc/self/cwd/../data; cat token",
    "by searching all of the machine": "grep -rs the-key-of-the-server /tmp /var/tmp /root /home /run",
    "in the environment": "env; export -p; set",
    "in the environments of processes": "cat /proc/[0-9]*/environ | tr '\\0' '\\n'",
    "in the environment of the server": "cat /proc/$SERVER/environ; cat /proc/$PPID/environ",
    "in the memory of the server": "cat /proc/$SERVER/maps; head -c 100 /proc/$SERVER/mem",
    "in what the server has open": "ls -l /proc/$SERVER/fd/; cat < /proc/$SERVER/fd/3",
    "by unmounting what hides it": "umount $DATA; umount -l /tmp; cat $DATA/token",
    "by mounting it elsewhere": "mkdir m; mount --bind $DATA m; cat m/token",
    "in another namespace": "unshare -Urm sh -c 'umount $DATA; cat $DATA/token'",
    "in the namespace of the server": "nsenter -t $SERVER -m cat $DATA/token; nsenter -a -t 1 id",
    "behind another root": "chroot /proc/1/root cat $DATA/token; chroot / cat $DATA/token",
    "in a sandbox of its own": "bwrap --bind / / cat $DATA/token",
    "on the disk itself": "cat /dev/mem /dev/kmem; head -c 4096 /dev/sda /dev/vda /dev/dm-0",
    "on a device of its own making": "mknod disk b 254 0; mknod mem c 1 1; head -c 100 disk mem",
}  # fmt: skip


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    secrets = {"ANTHROPIC_API_KEY": SECRET, "CHATD_SECRET_KEY": SECRET, "PATH": os.environ["PATH"]}
    async with a_world(tmp_path, server_environment=secrets) as made:
        (made.data / "token").write_text(SECRET)
        yield made


@pytest.mark.parametrize("attempt", SEEING, ids=lambda attempt: attempt.replace(" ", "-"))
async def test_no_command_sees_what_the_server_keeps(world: World, attempt: str) -> None:
    places = PLACES.format(data=world.data, server=os.getpid())

    said = await world.says(f"{places}{{ {SEEING[attempt]}; }} 2>&1; echo over")

    assert SECRET not in said
    assert said.endswith("over\n")
    # Nor is it in a file of the workspace for a tool to read.
    files = [path for path in world.root.rglob("*") if path.is_file() and not path.is_symlink()]
    assert not [path for path in files if SECRET in path.read_text("latin-1")]


LEAVING = {
    "by its path": "echo x > $OUT/evil",
    "up and down again": "cd ..; echo x > outside/evil; echo x > ../../../../$OUT/evil",
    "by a link": "ln -s $OUT link; echo x > link/evil; cp link/kept link/evil",
    "by a hard link to a file": "ln $OUT/kept link; echo evil > link",
    "by the root of a process": "echo x > /proc/self/root/$OUT/evil; echo x > /proc/1/root/$OUT/evil",
    "over the file that is there": "echo evil > $OUT/kept; truncate -s 0 $OUT/kept; rm -rf $OUT",
    "by moving the workspace": "mv $ROOT $OUT/evil; mv $ROOT $ROOT.old; rmdir $ROOT",
    "by mounting the machine anew": "mount -o remount,rw /; mount -o remount,rw /tmp; echo x > $OUT/evil",
    "with the rights of another": "chmod u+s /bin/sh; sudo -n touch $OUT/evil; su -c 'touch $OUT/evil'",
    "as a module of the kernel": "insmod evil.ko; modprobe evil; kexec -l evil",
    "by a task that comes later": "echo '* * * * * touch $OUT/evil' | crontab -; echo touch evil | at now",
    "by a start file": "echo touch $OUT/evil >> /etc/profile; echo touch $OUT/evil >> /etc/ld.so.preload",
}  # fmt: skip


@pytest.mark.parametrize("attempt", LEAVING, ids=lambda attempt: attempt.replace(" ", "-"))
async def test_no_command_changes_anything_outside_of_the_workspace(
    world: World, tmp_path: Path, attempt: str
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "kept").write_text("as it was")
    system = {
        path: path.read_bytes()
        for name in ("profile", "ld.so.preload")
        if (path := Path("/etc", name)).exists()
    }
    shell = Path("/bin/sh").stat().st_mode

    await world.run(f"OUT={outside}; ROOT={world.root}; {LEAVING[attempt]}")

    assert [path.name for path in outside.iterdir()] == ["kept"]
    assert (outside / "kept").read_text() == "as it was"
    assert world.root.is_dir()
    assert {path: path.read_bytes() for path in system} == system
    assert Path("/bin/sh").stat().st_mode == shell


async def test_nothing_of_the_kernel_can_be_set_though_the_server_may_be_root(world: World) -> None:
    """It is only asked whether it could be, since a program named in `core_pattern` is run by the kernel."""
    look = (
        "find /proc /sys -not -path '/proc/[0-9]*' -not -path '/proc/self/*' -not -path '/proc/thread-self/*'"
    )

    said = await world.says(f"{look} -type f -writable -print 2>/dev/null | head -20; echo over")

    assert said == "over\n"


CONNECT = (
    "import socket, sys\n"
    "kind, address = (socket.AF_INET, ('127.0.0.1', int(sys.argv[1]))) if sys.argv[1].isdigit() else "
    "(socket.AF_UNIX, sys.argv[1].replace('@', chr(0)))\n"
    "s = socket.socket(kind); s.connect(address); print('rea' + 'ched')\n"
)


async def test_a_service_of_the_machine_is_not_reached_by_its_port_or_by_a_name_without_a_file(
    world: World,
) -> None:
    python = program("python3")
    (world.root / "connect.py").write_text(CONNECT)
    name = f"chatd-hostile-{os.getpid()}"
    with socket.create_server(("127.0.0.1", 0)) as port, socket.socket(socket.AF_UNIX) as hidden:
        hidden.bind(f"\0{name}")
        hidden.listen()
        for address in (str(port.getsockname()[1]), f"@{name}"):
            assert "reached" not in await world.says(f"{python} connect.py {address}")


async def test_a_service_of_the_machine_is_not_reached_by_a_file(world: World, tmp_path: Path) -> None:
    python = program("python3")
    (world.root / "connect.py").write_text(CONNECT)
    with socket.socket(socket.AF_UNIX) as listening:
        # The path of a socket is short; the temporary directory of a test is not.
        place = Path("/tmp", f"chatd-hostile-{os.getpid()}")  # noqa: S108
        listening.bind(str(place))
        try:
            listening.listen()
            (world.root / "link").symlink_to(place)
            for address in (place, "link"):
                assert "reached" not in await world.says(f"{python} connect.py {address}")
        finally:
            place.unlink()


@pytest.mark.parametrize(
    "command",
    ["kill -9 $SERVER", "kill -9 -1", "kill -9 0", "kill -9 -$SERVER", "kill -9 $PPID", "kill -STOP $SERVER"],
)
async def test_no_command_ends_the_server_or_another_command(world: World, command: str) -> None:
    other = await world.start("echo begun; cat", takes_input=True)
    await world.printed(other, "begun")

    await world.run(f"SERVER={os.getpid()}; {command}")

    assert (await world.processes.output(None, other.id, Look())).process.running
    await world.kill(other)


async def limited(tmp_path: Path, limits: Limits, command: str) -> tuple[Output, Path]:
    confinement = Confinement(limits=limits, hidden=(tmp_path / "data",))
    async with a_world(tmp_path, confinement=confinement) as world:
        return await world.run(command), world.root


BOMBS = {
    "that doubles itself": "b() { b | b & }; b; sleep 600",
    "of processes that wait": "while :; do sleep 600 & done",
    "of processes that leave their group": "while :; do setsid sleep 600 & done",
    "of processes that cannot be asked to end": "trap '' TERM; while :; do (trap '' TERM; sleep 600) & done",
}  # fmt: skip


@pytest.mark.parametrize("bomb", BOMBS, ids=lambda bomb: bomb.replace(" ", "-"))
async def test_a_bomb(tmp_path: Path, bomb: str) -> None:
    output, _ = await limited(tmp_path, Limits(processes=48), BOMBS[bomb])

    # The guard stops it, or the shell gives up when the kernel gives it no more processes.
    stopped = output.process.stopped_because or ""
    assert "more than 48 processes" in stopped or output.process.exit_code != 0


@pytest.mark.parametrize(
    "command",
    [
        "head -c 300m /dev/zero | tail -c 299m > /dev/null",
        "tail /dev/zero",
        "x=aaaaaaaaaaaaaaaa; while :; do x=$x$x$x$x; done",
    ],
)
async def test_one_process_that_takes_all_memory(tmp_path: Path, command: str) -> None:
    output, _ = await limited(tmp_path, Limits(process_memory_bytes=64 * MIB), command)

    assert output.process.exit_code != 0 or "memory" in output.text


async def test_many_processes_that_take_all_memory_together(tmp_path: Path) -> None:
    many = "for n in 1 2 3 4 5 6; do head -c 40m /dev/zero | { tail -c 39m; sleep 600; } > /dev/null & done; "
    hold = (
        "for n in 1 2 3 4 5 6; do sh -c 'x=$(head -c 40m /dev/zero | tr \"\\0\" a); sleep 600' & done; wait"
    )

    output, _ = await limited(tmp_path, Limits(memory_bytes=128 * MIB), many + hold)

    assert "of memory" in (output.process.stopped_because or "")


async def test_memory_that_looks_like_files_has_a_size(world: World) -> None:
    said = await world.says(
        "df -B1 --output=size /dev/shm | tail -1; touch /dev/x; mkdir /dev/shm/../y; ls /dev"
    )

    assert int(said.split()[0]) <= SHARED_MEMORY_BYTES_MAX
    assert {"x", "y"}.isdisjoint(said.split())


@pytest.mark.parametrize(
    "command",
    [
        "head -c 5m /dev/zero > large",
        "truncate -s 1T large",
        "dd if=/dev/zero of=large bs=1 count=1 seek=5M",
        "ulimit -f unlimited; head -c 5m /dev/zero > large",
        "sh -c 'ulimit -S -f unlimited; head -c 5m /dev/zero' > large",
    ],
)
async def test_a_file_that_is_too_large(tmp_path: Path, command: str) -> None:
    _, root = await limited(tmp_path, Limits(file_bytes=MIB), command)

    assert not (root / "large").exists() or (root / "large").stat().st_size <= MIB


async def test_a_disk_that_is_filled_with_small_files(tmp_path: Path) -> None:
    """Whatever the files are like, the guard looks at what is left."""
    more_than_any_disk = Limits(disk_free_bytes_min=2**62)

    output, _ = await limited(
        tmp_path, more_than_any_disk, "while :; do echo x > $(date +%N); sleep 0.1; done"
    )

    assert "The disk has less than" in (output.process.stopped_because or "")


@pytest.mark.parametrize("mode", [SandboxMode.REQUIRE, SandboxMode.OFF])
async def test_a_loop_without_end_has_so_much_time_of_the_processor(
    tmp_path: Path, mode: SandboxMode
) -> None:
    confinement = Confinement(mode=mode, limits=Limits(cpu_seconds=1), hidden=(tmp_path / "data",))
    async with a_world(tmp_path, confinement=confinement) as world:
        output = await world.run("trap '' XCPU; ulimit -t unlimited; while :; do :; done")

        assert output.process.exit_code != 0


UNENDING = {
    "that ignores signals": "trap '' TERM INT HUP QUIT; echo begun; while :; do sleep 600; done",
    "that has stopped itself": "echo begun; kill -STOP $$",
    "that reads for ever": "echo begun; cat /dev/zero > /dev/null",
    "that prints for ever": "echo begun; yes",
    "that has left its group": "echo begun; setsid sleep 600 & setsid setsid sleep 600",
    "that is a daemon": "(setsid sh -c 'sleep 600 & sleep 600' > /dev/null 2>&1 &); echo begun; sleep 600",
}  # fmt: skip


def left_in(place: Path) -> list[str]:
    """Processes that work below this directory, in whatever namespace they are."""
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if str(place) in os.fsdecode((path / "cwd").readlink()):
                found.append(path.name)
    return found


async def none_left_in(place: Path) -> None:
    """The system takes a moment to end what it was told to kill."""
    async with asyncio.timeout(PATIENCE_SECONDS):
        while left_in(place):  # noqa: ASYNC110 - nothing tells when a process of others is gone
            await asyncio.sleep(0)


@pytest.mark.parametrize("attempt", UNENDING, ids=lambda attempt: attempt.replace(" ", "-"))
async def test_a_command_that_does_not_want_to_end_ends_and_leaves_nothing(
    world: World, attempt: str
) -> None:
    process = await world.start(UNENDING[attempt])
    await world.printed(process, "begun")

    output = await world.kill(process)

    assert not output.process.running
    await none_left_in(world.root)


@pytest.mark.parametrize("mode", [SandboxMode.REQUIRE, SandboxMode.OFF])
@pytest.mark.parametrize("attempt", UNENDING, ids=lambda attempt: attempt.replace(" ", "-"))
async def test_what_does_not_want_to_end_ends_with_its_workspace(
    tmp_path: Path, mode: SandboxMode, attempt: str
) -> None:
    async with a_world(tmp_path, mode) as world:
        await world.printed(await world.start(UNENDING[attempt]), "begun")

    await none_left_in(tmp_path / "root")


async def test_a_limit_cannot_be_raised_again(world: World) -> None:
    said = await world.says(
        "for o in n f t d c; do (ulimit -$o unlimited) 2>/dev/null && echo raised $o; done; "
        "(echo -1000 > /proc/self/oom_score_adj) 2>/dev/null && echo raised oom"
    )

    assert "raised" not in said


async def test_an_unconfined_command_has_neither_the_keys_of_the_server_nor_its_home(tmp_path: Path) -> None:
    secrets = {"ANTHROPIC_API_KEY": SECRET, "CHATD_TOKEN": SECRET, "PATH": os.environ["PATH"]}
    async with a_world(tmp_path, SandboxMode.OFF, server_environment=secrets) as world:
        said = await world.says("env; set; export -p; echo $HOME")

        assert SECRET not in said
        assert str(Path.home()) not in said.splitlines()
