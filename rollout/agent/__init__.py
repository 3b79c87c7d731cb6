"""The agent loop and its parts: look, decide, act, answer. No queue, no process, no file lives here."""
