"""The way to the model server: messages, and one client over httpx."""
