"""What people are shown: a renderer for each kind of question, and what they share.

``renderers``: which renderer shows the result of which kind.
``columns``: one name for each column of a result, and its heading in a table.
``choice``: the shares of listed answers.
``number``: the mean of numbers.
``distribution``: the distribution of numbers.
``several``: the shares of the answers to several questions.
``selection``: the shares of people who select each of several answers.
``text``: the texts that were found.
``states``: the shares of rounds.
``planning``: a plan in words.
``wording``: numbers as people read them, everywhere the same.
``file_names``: names of files that people download.
``bar``: a bar with its uncertainty, in a terminal.
``cells``: texts in a terminal.
``html``: pages that load nothing.
``figures``: pictures for documents.
"""
