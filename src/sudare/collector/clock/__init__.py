"""What time closes, and how far the machine's clock is believed.

``closings``: windows and rounds close, once a second.
``steady``: a clock that isn't believed at once when it jumps ahead.
``clock_warnings``: whether a clock can be right, by what a store holds.
"""
