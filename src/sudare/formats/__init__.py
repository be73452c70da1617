"""How things are written: bytes, files, documents, tables.

``collector_api``: a collector's interface: its version, its limits, its answers' shapes.
``documents``: JSON documents, read strictly and written in one way.
``encryption``: files that only a passphrase opens.
``file_kinds``: what a file is, by what stands in it.
``files``: files that are there whole or not at all, or that have one holder.
``hosts``: which hosts are this machine alone.
``numbers``: numbers as arguments: whole ones, and any repeated as it was given.
``ranges``: ranges of numbers in equal steps, exactly.
``report_files``: files and streams of reports, with a key and a seal.
``report_ids``: the ids by which reports count once.
``report_sets``: folders of such files, by window where there are windows.
``seals``: documents that end with a digest of what they say.
``strangers``: texts of strangers, made visible before anybody is shown them.
``tables``: rows of results as CSV and Parquet.
``tokens``: the form of a bearer's token, and its days.
``wire``: reports as bytes, and as Arrow columns.
"""
