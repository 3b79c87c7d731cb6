"""Names become packages that the phone has, or an error that lists near names."""

import pytest

from devices.apps import APPS, NoSuchApp, package_of

PHONE = frozenset(
    {"com.android.settings", "com.android.launcher3", "org.example.notes", "com.tencent.mm", "com.android.chrome"}
)


@pytest.mark.parametrize(
    ("name", "package"),
    [
        ("Settings", "com.android.settings"),
        ("设置", "com.android.settings"),
        ("WeChat", "com.tencent.mm"),
        (" 微信 ", "com.tencent.mm"),
        ("we chat", "com.tencent.mm"),
        ("CHROME", "com.android.chrome"),
        ("Browser", "com.android.chrome"),
        ("Notes", "org.example.notes"),
        ("便签", "org.example.notes"),
        ("org.example.notes", "org.example.notes"),
    ],
)
def test_a_known_name_gives_the_package_this_phone_has(name, package):
    assert package_of(name, PHONE) == package


@pytest.mark.parametrize("name", ["Settlngs", "Nots", "WeChatt", "支付宝", "", "…", "com.example.absent", "a; reboot"])
def test_an_unknown_name_is_never_guessed(name):
    with pytest.raises(NoSuchApp):
        package_of(name, PHONE)


def test_near_names_are_offered():
    with pytest.raises(NoSuchApp) as caught:
        package_of("Setings", PHONE)
    assert caught.value.near == ("Settings (com.android.settings)",)


def test_two_packages_with_the_same_last_word_are_not_decided_between():
    with pytest.raises(NoSuchApp) as caught:
        package_of("diary", {"com.a.diary", "com.b.diary"})
    assert caught.value.near == ("com.a.diary", "com.b.diary")


def test_an_app_of_the_table_that_is_not_installed_is_unknown():
    with pytest.raises(NoSuchApp):
        package_of("抖音", PHONE)


def test_each_name_of_the_table_stands_for_one_entry():
    names = [name.casefold().replace(" ", "") for app in APPS for name in app.names]
    assert len(names) == len(set(names))
