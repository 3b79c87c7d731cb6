"""The four roles, each a function of a port: logger, reader, worker, writer."""
