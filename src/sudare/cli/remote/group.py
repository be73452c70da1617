"""``sudare remote``: a collector elsewhere, without curl."""

import rich_click as click

from sudare.cli.remote.collections import COLLECTIONS
from sudare.cli.remote.invitations import invitations
from sudare.cli.remote.login import health, login, logout
from sudare.cli.remote.results import download, results
from sudare.cli.remote.tokens import token
from sudare.cli.remote.upload import upload


@click.group()
def remote() -> None:
    """Administer a collector elsewhere, and read its results.

    Which collector, and by which token: --collector and --token-file, then SUDARE_COLLECTOR and
    SUDARE_TOKEN or SUDARE_TOKEN_FILE, then the profile that `login` has made. --profile NAME says
    both at once. A profile's token goes to its own address only. A token is never an argument:
    others on the machine can read those.

    A COLLECTION is named by its name, its key, or the beginning of its key.

    \b
    Examples:
      sudare remote login https://stats.example.org < token.txt
      sudare remote add tea.json
      sudare remote invitations tea --count 30 -o invitations.csv
      sudare remote results tea
    """


for command in (login, logout, health, *COLLECTIONS, invitations, upload, results, download, token):
    remote.add_command(command)
