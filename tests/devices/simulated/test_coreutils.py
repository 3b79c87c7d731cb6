"""The small commands do what their namesakes on Android do."""

from __future__ import annotations

import pytest
from phone_shell import PhoneShell


@pytest.fixture(scope="module")
def shell() -> PhoneShell:
    found = PhoneShell()
    found.run(
        r"printf 'alpha 1\nBeta 22\ngamma 333\n' > /data/local/tmp/t; mkdir -p /sdcard/d/e; echo deep > /sdcard/d/e/f"
    )
    return found


@pytest.mark.parametrize(
    ("script", "printed"),
    [
        (r"echo 'a\nb'", "a\nb\n"),
        (r"echo -E 'a\nb'", "a\\nb\n"),
        ("echo -n x", "x"),
        ("printf '%s-%03d|%x\\n' a 7 255", "a-007|ff\n"),
        ("printf '%s\\n' a b", "a\nb\n"),
        ("cat /data/local/tmp/t | head -n 1", "alpha 1\n"),
        ("tail -n 1 /data/local/tmp/t", "gamma 333\n"),
        ("tail -n +2 /data/local/tmp/t | head -1", "Beta 22\n"),
        ("head -c 5 /data/local/tmp/t", "alpha"),
        ("wc -l < /data/local/tmp/t", "3\n"),
        ("wc -c /data/local/tmp/t", "26 /data/local/tmp/t\n"),
        ("grep -m1 a /data/local/tmp/t", "alpha 1\n"),
        ("grep -o '[0-9]*' /data/local/tmp/t", "1\n22\n333\n"),
        ("grep -E '^(alpha|gamma) ' /data/local/tmp/t", "alpha 1\ngamma 333\n"),
        ("grep -i beta /data/local/tmp/t", "Beta 22\n"),
        ("grep -v a /data/local/tmp/t; echo $?", "1\n"),
        ("grep -c 3 /data/local/tmp/t", "1\n"),
        ("grep -q zzz /data/local/tmp/t; echo $?", "1\n"),
        ("echo 'a.b' | grep -F a.b", "a.b\n"),
        ("grep -n Beta /data/local/tmp/t", "2:Beta 22\n"),
        (r"echo 'aab' | grep -o 'a\+'", "aa\n"),
        ("echo 'x(1)' | grep -o '(1)'", "(1)\n"),
        ("echo a1_ | grep -oE '[[:alpha:]][[:digit:]]'", "a1\n"),
        ("printf '3\\n1\\n2\\n' | sort -rn", "3\n2\n1\n"),
        ("printf 'a\\na\\nb\\n' | sort | uniq -c", "      2 a\n      1 b\n"),
        ("cut -d' ' -f2 /data/local/tmp/t", "1\n22\n333\n"),
        ("echo abcdef | cut -c2-4", "bcd\n"),
        ("echo hello | tr a-y b-z", "ifmmp\n"),
        ("echo 'a b' | tr -d ' '", "ab\n"),
        ("echo 'x=1' | sed 's/=/: /'", "x: 1\n"),
        (r"echo 'ab' | sed -E 's/(a)(b)/\2\1&/'", "baab\n"),
        ("sed -n 2p /data/local/tmp/t", "Beta 22\n"),
        ("echo hi | base64", "aGkK\n"),
        ("echo aGkK | base64 -d", "hi\n"),
        ("echo hi | sha256sum", "98ea6e4f216f2fb4b69fff9b3a44842c38686ca685f3f55dc48c5d3fb1107be4  -\n"),
        ("echo hi | md5sum", "764efa883dda1e11db47671c4a3bbd9e  -\n"),
        ("ls /sdcard/d", "e\n"),
        ("cat /storage/emulated/0/d/e/f", "deep\n"),
        ("cp -r /sdcard/d /sdcard/g; cat /sdcard/g/e/f; rm -r /sdcard/g; ls /sdcard/g 2>&1 | wc -l", "deep\n1\n"),
        ("cd /sdcard; touch q; mv q d/; ls d; rm d/q", "e\nq\n"),
        ("[ -f /sdcard/d/e/f ] && [ -d /sdcard/d ] && [ ! -e /nope ] && echo right", "right\n"),
        ("[ a = a -a 3 -gt 2 ] && test -n x && echo right", "right\n"),
        ("[ x ] && [ -z '' ] && echo right", "right\n"),
        ("id -u", "2000\n"),
        ("date +%Y | wc -c", "5\n"),
        ("export A=1; env | grep ^A=", "A=1\n"),
        ("A=2 env | grep ^A=; echo [$A]", "A=2\n[]\n"),
        ("basename /a/b.txt .txt; dirname /a/b.txt", "b\n/a\n"),
        ("which grep; which nothing; echo $?", "/system/bin/grep\n1\n"),
    ],
)  # fmt: skip
def test_commands_print_what_androids_print(shell: PhoneShell, script: str, printed: str) -> None:
    ran = shell.run(script)
    assert (ran.out, ran.err) == (printed, "")


@pytest.mark.parametrize(
    ("script", "status", "said"),
    [
        ("cat /nope", 1, "cat: /nope: No such file or directory\n"),
        ("rm /nope", 1, "rm: /nope: No such file or directory\n"),
        ("rm -f /nope", 0, ""),
        ("rm /sdcard/d", 1, "rm: /sdcard/d: Is a directory\n"),
        ("mkdir /sdcard/d", 1, "mkdir: '/sdcard/d': File exists\n"),
        ("rm -rf /system", 1, "rm: /system: Read-only file system\n"),
        ("ls -Z", 1, "ls: Unknown option 'Z'\n"),
        ("grep '[' /data/local/tmp/t", 1, None),
        ("[ a -eq 1 ]", 2, "/system/bin/sh: [: a: unexpected operator/operand\n"),
        ("printf", 1, "printf: Needs 1 argument\n"),
    ],
)
def test_commands_complain_as_androids_do(shell: PhoneShell, script: str, status: int, said: str | None) -> None:
    ran = shell.run(script)
    assert ran.status == status
    assert said is None or ran.err == said


@pytest.mark.timeout(20)
def test_a_pattern_that_explodes_is_stopped(shell: PhoneShell) -> None:
    ran = shell.run(f"echo {'a' * 60}b | grep -E '^(a+)+$'")
    assert "takes too long" in ran.err


def test_a_reader_without_a_file_reads_what_is_piped_in(shell: PhoneShell) -> None:
    assert shell.run("cat", stdin=b"from outside\n").out == "from outside\n"


def test_a_command_that_does_not_read_leaves_the_input_to_the_next(shell: PhoneShell) -> None:
    assert shell.run("printf '1 2\\n3 4\\n' | while read a b; do input tap $a $b; done").argvs[-3:] == [
        ["read", "a", "b"],
        ["input", "tap", "3", "4"],
        ["read", "a", "b"],
    ]
