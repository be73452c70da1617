"""Files of people's answers, as people have them: read a chunk at a time, judged, one each.

``plain_text``: the bytes of a file: unpacked, and as UTF-8.
``line_numbers``: the line on which each record of a text begins.
``table``: columns of CSV, lines, JSON lines, Parquet, Arrow or Excel, as text, row by row.
``dialect``: how a CSV is delimited, found out from how it begins.
``sheet``: rows of a spreadsheet.
``one_each``: one row of each person, where rows are not people.
``reading``: what is read is an answer, or is left out and counted, or named by its line.
``labels``: the different answers of a column, and how many people give each.
``ids``: columns that look as if they named people.

Nothing that is read here may reach an error message: a header can be somebody's answer too, when a
file has none.
"""
