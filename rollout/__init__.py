"""Keeps a rack of Android phones busy with GUI-agent rollouts. docs/architecture.md is the map."""

__version__ = "0.1.0"
