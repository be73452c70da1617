"""Tokens as both sides know them: their form, and for how long they are valid."""

import re

TOKEN = re.compile(r"sdr_([a-z0-9]{1,32})_([A-Za-z0-9_-]{16,128})", re.ASCII)
"""A bearer's token: its name, which is public, and its secret."""
TOKEN_DAYS = 30
"""For how many days a token is valid unless its maker says otherwise."""
MOST_TOKEN_DAYS = 3660
DAY = 86_400
"""The seconds of a day."""
