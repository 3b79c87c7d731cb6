"""What a run leaves behind: the record (schema), screenshots on disk, and the reader of any run."""
