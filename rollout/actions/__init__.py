"""What an agent may do: the action enum, its assertion, and the dialects that write and read it."""
