"""The phone's shell reads a command line as mksh does, and shows everything it runs."""

from __future__ import annotations

import pytest
from phone_shell import PhoneShell

STATUS_LINE = (
    "D='dumpsys -t 3';$D power 2>/dev/null|grep -m1 mWakefulness=;"
    "$D display 2>/dev/null|grep -m3 mOverrideDisplayInfo=;"
    "$D window policy 2>/dev/null|grep -E '^ +(showing|occluded|secure|mIsShowing)=';"
    '{ $D window displays;[ "$(getprop ro.build.version.sdk)" -lt 29 ]&&$D window windows; } 2>/dev/null'
    "|grep -E 'mDisplayId=|mCurrentFocus=|mFocusedApp=';"
    "$D input_method 2>/dev/null|grep -m1 -o 'mInputShown=[a-z]*';echo __END"
)


@pytest.fixture(scope="module")
def shell() -> PhoneShell:
    return PhoneShell()


@pytest.mark.parametrize(
    ("script", "printed"),
    [
        ("echo a  b", "a b\n"),
        ("echo 'a  $x' \"b  c\" d\\ e", "a  $x b  c d e\n"),
        ("echo $'tab\\there' $'\\u4f60'", "tab\there 你\n"),
        ("echo one; echo two\necho three", "one\ntwo\nthree\n"),
        ("true && echo yes || echo no", "yes\n"),
        ("false && echo yes || echo no", "no\n"),
        ("! false && echo negated", "negated\n"),
        ("printf 'b\\na\\n' | sort | head -n1", "a\n"),
        ("echo $(echo inner $(echo deep)) `echo tick`", "inner deep tick\n"),
        ("x=5; echo $x ${x} \"$x\" '$x'", "5 5 5 $x\n"),
        ("echo ${missing:-default} ${missing-other}", "default other\n"),
        ("x=abc.txt; echo ${#x} ${x%.txt} ${x#abc}", "7 abc .txt\n"),
        ("false; echo $?", "1\n"),
        ("D='echo split into'; $D words", "split into words\n"),
        ('x="a  b"; echo "$x"; echo $x', "a  b\na b\n"),
        ("if [ 1 -lt 2 ]; then echo less; else echo more; fi", "less\n"),
        ("if false; then echo a; elif true; then echo b; fi", "b\n"),
        ("for i in 1 2 3; do echo n$i; done", "n1\nn2\nn3\n"),
        ("i=0; while [ $i -lt 3 ]; do i=$((i+1)); echo $i; done", "1\n2\n3\n"),
        ("for i in 1 2 3; do [ $i = 2 ] && continue; echo $i; done", "1\n3\n"),
        ("x=1; (x=2; echo $x); echo $x", "2\n1\n"),
        ("{ echo a; echo b; } | wc -l", "2\n"),
        ("echo visible # echo hidden", "visible\n"),
        ("echo a#b", "a#b\n"),
        ("echo $((2 + 3 * (4 - 1))) $((7 / 2)) $((7 % 4))", "11 3 3\n"),
        ("sh -c 'echo $0 $1' name arg", "name arg\n"),
        ("eval 'echo from eval'", "from eval\n"),
        ("printf 'x\\ny\\n' | while read line; do echo got $line; done", "got x\ngot y\n"),
        ('set -- a "b c"; for w in "$@"; do echo [$w]; done', "[a]\n[b c]\n"),
        ("echo ''a\"\"", "a\n"),
        ("echo *.nothing", "*.nothing\n"),
        ("timeout 5 echo in time", "in time\n"),
    ],
)
def test_scripts_print_what_mksh_prints(shell: PhoneShell, script: str, printed: str) -> None:
    ran = shell.run(script)
    assert (ran.out, ran.err) == (printed, "")


def test_outputs_are_redirected(shell: PhoneShell) -> None:
    ran = shell.run(
        "cd /sdcard; echo a > f; echo b >> f; cat < f; ls /nope 2>/dev/null; ls /nope 2>&1 | wc -l; cat f &> /dev/null"
    )
    assert (ran.out, ran.err) == ("a\nb\n1\n", "")


def test_redirection_to_a_place_that_is_not_writable_fails(shell: PhoneShell) -> None:
    ran = shell.run("echo x > /system/bin/sh; echo next")
    assert ran.err == "/system/bin/sh: can't create /system/bin/sh: Read-only file system\n"
    assert ran.out == "next\n"


def test_globs_match_files_and_quoted_ones_do_not(shell: PhoneShell) -> None:
    ran = shell.run("cd /data/local/tmp; touch a.png b.png c.txt; echo *.png; echo '*.png'; echo /data/local/t*p/?.txt")
    assert ran.out == "a.png b.png\n*.png\n/data/local/tmp/c.txt\n"


def test_an_unknown_command_gives_127_and_mkshs_words(shell: PhoneShell) -> None:
    ran = shell.run("nosuchthing --now")
    assert (ran.status, ran.err) == (127, "/system/bin/sh: nosuchthing: inaccessible or not found\n")


@pytest.mark.parametrize(
    "script",
    ["echo 'open", "echo $(", "if true; then", ")", "echo a; ;", "a && ", "case x in x) ;; esac", "f() { :; }"],
)
def test_what_is_no_script_runs_nothing(shell: PhoneShell, script: str) -> None:
    ran = shell.run("echo before; " + script)
    assert ran.status == 1
    assert ran.err.startswith("/system/bin/sh: syntax error")
    assert ran.argvs == []


@pytest.mark.parametrize(
    ("typed", "extra"),
    [
        ("input text hello;reboot", ["reboot"]),
        ("input text $(am force-stop x)", ["am", "force-stop", "x"]),
        ("input text `pm clear x`", ["pm", "clear", "x"]),
        ("input text a|sh -c 'rm -rf /sdcard/x'", ["rm", "-rf", "/sdcard/x"]),
        ("input text a && svc power reboot", ["svc", "power", "reboot"]),
        ("input text a\nsettings delete global x", ["settings", "delete", "global", "x"]),
    ],
)
def test_an_injection_is_seen_in_the_command_log(shell: PhoneShell, typed: str, extra: list[str]) -> None:
    assert extra in shell.run(typed).argvs


@pytest.mark.parametrize(
    "text", ["$(reboot)", "`reboot`", "a;reboot", "it's", 'say "hi"', "%s & | > *", "你好 🎉", "\\"]
)
def test_quoted_text_arrives_as_one_argument(shell: PhoneShell, text: str) -> None:
    import shlex

    assert shell.run(f"input text {shlex.quote(text)}").argvs == [["input", "text", text]]


def test_the_status_line_of_one_round_trip_runs_as_it_is(shell: PhoneShell) -> None:
    ran = shell.run(STATUS_LINE)
    assert "mWakefulness=Awake" in ran.out
    assert "real 1080 x 2400" in ran.out
    assert "mCurrentFocus=Window{" in ran.out
    assert "mInputShown=false" in ran.out
    assert ran.out.endswith("__END\n")
    assert ["dumpsys", "-t", "3", "power"] in ran.argvs


def test_background_commands_run_beside_the_next_and_are_waited_for(shell: PhoneShell) -> None:
    ran = shell.run("{ sleep 0.05; echo late; } & echo early; wait; echo end")
    assert ran.out == "early\nlate\nend\n"


@pytest.mark.parametrize(
    "script",
    [
        "while true; do :; done",
        "for a in $(seq 300); do for b in $(seq 300); do :; done; done",
        "x=aaaaaaaaaaaaaaaa; while true; do x=$x$x; done",
        "while :; do echo $(seq 20000); done",
        "eval " * 60 + "echo",
        "f='sh -c'; x='eval \"$x\"'; eval \"$x\"",
        "$(" * 39 + "echo" + ")" * 39,
        "(" * 500 + "echo" + ")" * 500,
        "while true; do sleep 100 & done",
    ],
)
@pytest.mark.timeout(30)
def test_hostile_scripts_end(shell: PhoneShell, script: str) -> None:
    assert shell.run(script).status != 0 or len(script) < 100


def test_a_repeated_command_is_not_parsed_again() -> None:
    from devices.simulated.sh_parser import parse

    assert parse("input tap 1 2") is parse("input tap 1 2")


def test_bytes_that_are_not_utf8_come_back_as_they_were(shell: PhoneShell) -> None:
    assert shell.run("printf '%s' 'a\udcff'").out.encode("utf-8", "surrogateescape") == b"a\xff"
