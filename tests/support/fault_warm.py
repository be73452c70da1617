"""Imported where collectors are forked from: what they need is compiled once, not by each."""

from sudare.collector.uploads.warming import warm
from support.fault_stops import questions

warm(questions())
