"""A person's side: an answer becomes a report, which is paid for, kept and delivered.

``device``: from a secret and an answer to a report.
``current_window``: which window is answered, and which round observed.
``delivery``: what each answer of a collector means for a report.
``collector_client``: a collector at an address, as a device sees it.
``outbox``: reports that wait, and those that were refused.
``participant``: a device in a folder, which answers collectors.
"""
