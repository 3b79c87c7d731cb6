"""A model server that plays the simulated tasks over the OpenAI API: a process of its own, on loopback only.

It knows nothing but the request: instruction and progress from the prompt's text, the screen from the strip in the
image, skill from the request's seed. Nothing in the runner tells it from a real server.
"""
