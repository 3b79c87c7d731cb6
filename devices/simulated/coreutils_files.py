"""Commands on files: cat, ls, rm, mkdir, mv, cp, touch, chmod, tee, stat, df."""

from __future__ import annotations

import errno
import stat
import time

from devices.simulated.command import Result
from devices.simulated.coreutils_kit import Run, Usage, command, encoded
from devices.simulated.files import MAX_BYTES, FileError, Node


@command("cat", flags="u", own=0)
def _cat(run: Run) -> Result:
    return run.result(b"".join(data for _, data in run.inputs(run.operands)))


@command("tee", flags="a", own=99)
def _tee(run: Run) -> Result:
    for name in run.operands:
        try:
            path = run.path(name)
            run.files.check_writable(path)
            run.files.write(path, run.call.stdin, append="a" in run.flags)
        except FileError as error:
            run.complain(error, name)
    return run.result(run.call.stdin)


@command("ls", flags="laA1dRFhnto")
def _ls(run: Run) -> Result:
    lines: list[str] = []
    names = run.operands or ["."]
    directories: list[str] = []
    for name in names:
        try:
            node = run.files.stat(run.path(name))
        except FileError as error:
            run.complain(error, name)
            continue
        if node.is_dir and "d" not in run.flags:
            directories.append(name)
        else:
            lines.append(_ls_line(run, name, node))
    for name in directories:
        lines.extend(_ls_directory(run, name, has_title=len(names) > 1 or "R" in run.flags))
    return run.result("".join(f"{line}\n" for line in lines))


def _ls_directory(run: Run, name: str, *, has_title: bool) -> list[str]:
    path = run.path(name)
    inside = run.files.names(path)
    if not run.flags & {"a", "A"}:
        inside = [one for one in inside if not one.startswith(".")]
    nodes = [(one, run.files.stat(f"{path}/{one}")) for one in inside]
    if "t" in run.flags:
        nodes.sort(key=lambda pair: -pair[1].mtime)
    lines = [f"{name}:"] if has_title else []
    if "l" in run.flags:
        lines.append(f"total {sum(-(-node.size // 4096) * 4 for _, node in nodes)}")
    if "a" in run.flags:
        lines.extend(_ls_line(run, dots, run.files.stat(path)) for dots in (".", ".."))
    lines.extend(_ls_line(run, one, node) for one, node in nodes)
    if "R" in run.flags:
        for one, node in nodes:
            if node.is_dir:
                lines.extend(["", *_ls_directory(run, f"{name.rstrip('/')}/{one}", has_title=True)])
    return lines


def _ls_line(run: Run, name: str, node: Node) -> str:
    if "l" not in run.flags:
        return name
    day = time.strftime("%Y-%m-%d %H:%M", time.gmtime(node.mtime))
    return f"{stat.filemode(node.mode)} {2 if node.is_dir else 1} shell shell {node.size:>8} {day} {name}"


@command("rm", flags="rRfiv")
def _rm(run: Run) -> Result:
    if not run.operands and "f" not in run.flags:
        raise Usage("Needs 1 argument")
    for name in run.operands:
        try:
            path = run.path(name)
            if run.files.is_dir(path) and not run.flags & {"r", "R"}:
                raise FileError(errno.EISDIR, name)
            if run.files.exists(path) or "f" not in run.flags:
                run.files.stat(path)
                run.files.check_writable(path)
                run.files.remove(path, recursive=True)
        except FileError as error:
            run.complain(error, name)
    return run.result()


@command("mkdir", flags="pv", values="m")
def _mkdir(run: Run) -> Result:
    for name in run.operands:
        try:
            path = run.path(name)
            if not ("p" in run.flags and run.files.is_dir(path)):
                run.files.check_writable(path)
                run.files.make_dir(path, parents="p" in run.flags)
        except FileError as error:
            run.errors.append(f"mkdir: '{name}': {error.strerror}\n")
    return run.result()


@command("rmdir")
def _rmdir(run: Run) -> Result:
    for name in run.operands:
        path = run.path(name)
        run.files.check_writable(path)
        run.files.remove(path)
    return run.result()


def _target(run: Run, source: str) -> str:
    """Where `source` goes: into the last operand when that is a directory."""
    target = run.path(run.operands[-1])
    if run.files.is_dir(target):
        return f"{target.rstrip('/')}/{run.path(source).rpartition('/')[2]}"
    if len(run.operands) > 2:
        raise FileError(errno.ENOTDIR, run.operands[-1])
    return target


@command("mv", flags="fniv")
def _mv(run: Run) -> Result:
    _need_two(run)
    for source in run.operands[:-1]:
        try:
            target = _target(run, source)
            run.files.stat(run.path(source))
            run.files.check_writable(run.path(source))
            run.files.check_writable(target)
            run.files.move(run.path(source), target)
        except FileError as error:
            run.errors.append(f"mv: bad '{source}': {error.strerror}\n")
    return run.result()


@command("cp", flags="rRfpai")
def _cp(run: Run) -> Result:
    _need_two(run)
    for source in run.operands[:-1]:
        try:
            _copy(run, source)
        except FileError as error:
            run.errors.append(f"cp: bad '{source}': {error.strerror}\n")
    return run.result()


def _copy(run: Run, source: str) -> None:
    start, target = run.path(source), _target(run, source)
    run.files.check_writable(target)
    if run.files.stat(start).is_dir and not run.flags & {"r", "R", "a"}:
        raise FileError(errno.EISDIR, source)
    for path in list(run.files.walk(start)):
        copy = target + path[len(start) :]
        if run.files.stat(path).is_dir:
            run.files.make_dir(copy, parents=True)
        else:
            run.files.write(copy, run.files.read(path))


def _need_two(run: Run) -> None:
    if len(run.operands) < 2:
        raise Usage("Needs 2 arguments")


@command("touch", flags="acm", values="dtr")
def _touch(run: Run) -> Result:
    for name in run.operands:
        try:
            path = run.path(name)
            run.files.check_writable(path)
            if run.files.exists(path):
                run.files.set_mtime(path, int(time.time()))
            elif "c" not in run.flags:
                run.files.write(path, b"")
        except FileError as error:
            run.errors.append(f"touch: '{name}': {error.strerror}\n")
    return run.result()


@command("chmod", flags="Rvf")
def _chmod(run: Run) -> Result:
    if len(run.operands) < 2:
        raise Usage("Needs 2 arguments")
    for name in run.operands[1:]:
        path = run.path(name)
        run.files.check_writable(path)
        mode = run.operands[0]
        run.files.set_mode(path, int(mode, 8) if mode.isdecimal() and set(mode) <= set("01234567") else 0o775)
    return run.result()


@command("stat", flags="Lt", values="c")
def _stat(run: Run) -> Result:
    lines: list[str] = []
    for name in run.operands:
        node = run.files.stat(run.path(name))
        kind = "directory" if node.is_dir else "regular file"
        for code, value in {
            "%s": str(node.size), "%Y": str(node.mtime), "%n": name, "%a": f"{stat.S_IMODE(node.mode):o}", "%F": kind,
        }.items():  # fmt: skip
            if code in (text := run.values.get("c", ["%n %s"])[-1]):
                run.values["c"] = [text.replace(code, value)]
        lines.append(run.values.get("c", [f"{name} {node.size}"])[-1])
    return run.result(encoded("".join(f"{line}\n" for line in lines)))


@command("df", flags="hk")
def _df(run: Run) -> Result:
    used = run.files.used_bytes // 1024
    size = MAX_BYTES // 1024
    return run.result(
        "Filesystem     1K-blocks    Used Available Use% Mounted on\n"
        f"/dev/fuse      {size:>9} {used:>7} {size - used:>9} {used * 100 // size:>3}% /storage/emulated\n"
    )
