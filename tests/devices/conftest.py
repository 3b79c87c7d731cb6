"""Tests of devices leave the process's environment as it was."""

import os

import pytest


@pytest.fixture(autouse=True)
def _keep_adb_environment():
    """`adb_client` sets both port settings for the whole process."""
    names = ("ANDROID_ADB_SERVER_PORT", "ADBUTILS_ADB_PATH")
    before = {name: os.environ.get(name) for name in names}
    yield
    for name, value in before.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value
