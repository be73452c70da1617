"""The laws that every mechanism obeys, tried on its code: ours in the tests, others' by a command.

``mechanism_laws``: each law as a function, which raises ``LawBroken`` with a counterexample.
``verdict``: all laws on the small instances of one class, and what was found of each.
``enumeration``: people, their reports and the exact laws of small batches.
``draws``: draws compared with a law by exact tails.
``compiled_paths``: which path large batches take, compiled or plain.
"""
