"""The run: an orchestrator and its four roles as processes in a star of pipes."""
