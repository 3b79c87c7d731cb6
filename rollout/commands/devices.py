"""`devices`: what adb sees, one line a phone, and why one cannot be used."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import asdict

from devices.fleet import discover
from rollout.commands.phones import port_of_environment, shared_server


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m rollout devices", description=__doc__)
    parser.add_argument("--port", type=int, help="adb server port (default: $ANDROID_ADB_SERVER_PORT, else 5037)")
    parser.add_argument("--json", action="store_true", help="one JSON object a line")
    options = parser.parse_args(list(arguments))
    port = options.port or port_of_environment()
    shared_server(port)
    phones = discover(port)
    for phone in phones:
        if options.json:
            print(json.dumps(asdict(phone), default=str))
        else:
            print(f"{phone.serial:24} {phone.hardware_serial or '?':16} {phone.model or '?':20} {phone.why or 'ready'}")
    if not phones and not options.json:
        print(f"adb on port {port} sees no phone; is USB debugging on, and is the dialog on the phone accepted?")
    return 0
