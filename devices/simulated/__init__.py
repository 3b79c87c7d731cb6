"""A fleet of simulated phones behind the real adb server: cut at the wire, so adbutils and adb are in every test."""
