"""What each command does. Imported by the command line when the command is called, so that --help stays instant."""
