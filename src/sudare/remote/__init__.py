"""A collector elsewhere, administered and read over HTTP.

``profiles``: which collector, and by which token.
``client``: all that may be asked of it.
``uploading``: files of reports, sent in bodies, each report once.
``survey_links``: invitations as links to the survey page, and as QR codes.
"""
