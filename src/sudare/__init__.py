"""Private statistics."""
