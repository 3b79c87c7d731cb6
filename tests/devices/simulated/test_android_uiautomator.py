"""`uiautomator dump`: the XML and what the command says."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

from hands import middle, run, tap, text

from devices.simulated.phone import Phone

FILE = "/sdcard/window_dump.xml"


def dump(phone: Phone) -> str:
    assert text(phone, "uiautomator", "dump") == f"UI hierchary dumped to: {FILE}\n"
    return phone.files.read(FILE).decode()


def nodes(phone: Phone) -> list[dict[str, str]]:
    return [node.attrib for node in ElementTree.fromstring(dump(phone)).iter("node")]


def test_form_of_the_xml():
    phone = Phone(0)
    tap(phone, "launcher.app.settings", "settings.row.display", "settings.display.timeout")
    xml = dump(phone)
    assert xml.startswith(
        "<?xml version='1.0' encoding='UTF-8' standalone='yes' ?><hierarchy rotation=\"0\">"
        '<node index="0" text="" resource-id="" class="android.widget.FrameLayout" package="com.android.settings" '
        'content-desc="" checkable="false" checked="false" clickable="false" enabled="true" focusable="false" '
        'focused="false" scrollable="false" long-clickable="false" password="false" selected="false" bounds="['
    )
    assert xml.endswith("</node></hierarchy>") and "\n" not in xml


def test_dialog_is_the_active_window():
    phone = Phone(0)
    tap(phone, "launcher.app.settings", "settings.row.display", "settings.display.timeout")
    texts = [node["text"] for node in nodes(phone)]
    assert "5 minutes" in texts and "Dark theme" not in texts
    chosen = [node["text"] for node in nodes(phone) if node["checked"] == "true"]
    assert chosen == ["1 minute"]


def test_rows_can_be_found_and_touched_by_their_bounds():
    phone = Phone(0)
    tap(phone, "launcher.app.notes")
    found = {node["resource-id"]: node for node in nodes(phone)}
    node = found["org.example.notes:id/notes.row.old-draft"]
    left, top, right, bottom = (int(n) for n in node["bounds"].replace("][", ",").strip("[]").split(","))
    assert middle(phone, "notes.row.old-draft") == ((left + right) // 2, (top + bottom) // 2)
    assert (node["clickable"], node["long-clickable"], node["text"]) == ("true", "true", "")
    assert any(n["scrollable"] == "true" for n in nodes(phone))


def test_bounds_are_clipped_to_the_list():
    phone = Phone(0)
    tap(phone, "launcher.app.settings")
    run(phone, "input", "swipe", "540", "1500", "540", "1400")
    tops = [int(n["bounds"].split(",")[0].strip("[")) for n in nodes(phone)]
    assert min(tops) >= 0
    assert all("[0,-" not in n["bounds"] for n in nodes(phone))


def test_texts_of_every_kind_are_escaped_as_android_does():
    phone = Phone(0)
    for title in ('say "hi" & <go>', "it's", "你好 😀", "a\x01b"):
        run(phone, "content", "insert", "--uri", "content://org.example.notes/notes", "--bind", f"title:s:{title}")
    tap(phone, "launcher.app.notes")
    xml = dump(phone)
    assert "text='say \"hi\" &amp; &lt;go&gt;'" in xml
    assert 'text="it\'s"' in xml and 'text="你好 &#128512;"' in xml and 'text="a.b"' in xml


def test_naf_marks_what_can_be_touched_and_has_no_text():
    phone = Phone(0)
    tap(phone, "launcher.app.settings", "settings.row.display")
    tap(phone, "nav.home", "launcher.app.notes", "notes.new", "notes.edit.body")
    marked = [n["resource-id"] for n in nodes(phone) if n.get("NAF") == "true"]
    assert "org.example.notes:id/notes.edit.body" in marked
    field = next(n for n in nodes(phone) if n["resource-id"].endswith("notes.edit.body"))
    assert (field["class"], field["focused"]) == ("android.widget.EditText", "true")


def test_dev_tty_streams_the_xml_on_a_terminal_only():
    phone = Phone(0)
    said = run(phone, "uiautomator", "dump", "/dev/tty", is_tty=True).stdout
    assert said.endswith(b"</hierarchy>UI hierchary dumped to: /dev/tty\n") and said.startswith(b"<?xml")
    assert run(phone, "uiautomator", "dump", "/dev/tty").stdout == b"UI hierchary dumped to: /dev/tty\n"


def test_screen_off_has_no_root_and_the_old_file_stays():
    phone = Phone(0)
    old = dump(phone)
    run(phone, "input", "keyevent", "223")
    result = run(phone, "uiautomator", "dump")
    assert (result.status, result.stdout) == (0, b"")
    assert result.stderr == b"ERROR: null root node returned by UiTestAutomationBridge.\n"
    assert phone.files.read(FILE).decode() == old


def test_passwords_are_dots_and_lock_belongs_to_system_ui():
    phone = Phone(0)
    run(phone, "am", "start", "-a", "android.settings.SECURITY_SETTINGS")
    tap(phone, "settings.security.pin", "settings.pin.field")
    run(phone, "input", "text", "1234")
    field = next(n for n in nodes(phone) if n["password"] == "true")
    assert field["text"] == "••••"
    run(phone, "input", "keyevent", "223", "224")
    assert {n["package"] for n in nodes(phone)} == {"com.android.systemui"}


def test_dump_waits_until_the_screen_rests():
    phone = Phone(0, animation_s=0.05)
    tap(phone, "launcher.app.settings")
    dump(phone)
    assert phone.rest_s == 0
