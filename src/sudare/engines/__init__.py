"""Files of reports into counts, on one machine or many.

``pieces``: what every engine does with a file: cut it, count a piece, add up and check the seal.
``local``: on all cores of this machine.
``once``: reports with ids, each counted once however often it is there.
``query``: answers into reports, and reports into weights, as Arrow for a query of somebody else.
``spark``: on a cluster, of files or of a table's rows; reports are drawn there too.
``spark_session``: Spark started or reached, for the command line.
"""
