"""Closed-form error theory: what a mechanism's error will be, before anybody answers."""
