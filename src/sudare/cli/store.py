"""``sudare backup``, ``sudare restore`` and ``sudare export``: what a collector has stored."""

from pathlib import Path

import rich_click as click

from sudare.cli.shared.files import naming, naming_store
from sudare.cli.shared.options import PATH, force_option, output_option, progress_bar, usual_store
from sudare.cli.shared.output import refuse_folder, refuse_replacing
from sudare.cli.shared.terminal import say
from sudare.formats.file_kinds import FileKind
from sudare.results.wording import counted


@click.command()
@click.argument("store", metavar="[STORE]")
@click.argument("file", required=False, metavar="FILE")
@click.option("--passphrase-file", type=PATH, help="Encrypt it with the passphrase in this file.")
def backup(store: str, file: str | None, passphrase_file: Path | None) -> None:
    """Write a collector's whole STORE into a FILE, as it is at this moment.

    STORE is a path, or postgresql://…; if it is left out, SUDARE_STORE says it, or it is sudare.db
    as for `sudare serve`. The collector may go on counting meanwhile. The file holds
    whatever the store holds: collections, sums, ids of reports, raw reports where they are kept,
    and hashes of tokens and invitations; so also sums of fewer reports than a collector would
    show. Encrypt one that leaves the machine. One that is there already isn't overwritten.

    \b
    Examples:
      sudare backup monday.backup
      sudare backup collector.db monday.backup
      sudare backup collector.db monday.backup --passphrase-file passphrase.txt
    """
    from sudare.collector.stores.backup import back_up
    from sudare.formats.encryption import passphrase_of

    store, named = (store, file) if file is not None else (usual_store(), store)
    passphrase = None if passphrase_file is None else passphrase_of(passphrase_file)
    with progress_bar(bytes_total=True) as progress:
        task = progress.add_task("writing the backup", total=None)
        with naming_store(store):
            rows = back_up(
                store, Path(named), lambda size: progress.advance(task, size), passphrase
            )
    say(f"{counted(rows, 'row')} written", err=True)


@click.command()
@click.argument("file", type=PATH)
@click.argument("store", required=False, metavar="[STORE]")
@click.option("--passphrase-file", type=PATH, help="Where the passphrase is, if it is encrypted.")
def restore(file: Path, store: str | None, passphrase_file: Path | None) -> None:
    """Make a new STORE of a FILE that `sudare backup` has written.

    The file is checked to its last byte before anything is made of it. A store that is there
    already isn't overwritten; one that isn't named is that of SUDARE_STORE, or sudare.db. It may
    be another kind of database than the one it was made of.

    \b
    Example:
      sudare restore monday.backup collector.db
    """
    from sudare.collector.stores.backup import restore as make
    from sudare.formats.encryption import passphrase_of

    store = usual_store() if store is None else store
    passphrase = None if passphrase_file is None else passphrase_of(passphrase_file)
    with progress_bar(bytes_total=True) as progress:
        task = progress.add_task("reading the backup", total=file.stat().st_size)
        with naming(file, FileKind.ENCRYPTED if passphrase else FileKind.BACKUP):
            rows = make(file, store, lambda size: progress.advance(task, size), passphrase)
    say(f"{counted(rows, 'row')} restored", err=True)


@click.command()
@click.argument("store", metavar="[STORE]")
@click.argument("key", required=False, metavar="KEY")
@output_option(
    "Where the reports go: .arrow or .parquet; a name without an ending is a folder.",
    required=True,
)
@force_option
@click.option("--window", type=click.IntRange(0, 10**15 - 1), help="Those of one window only.")
def export(store: str, key: str | None, output: Path, force: bool, window: int | None) -> None:
    """The raw reports of a collection, as a file for `sudare aggregate` or `sudare decode`.

    STORE may be left out, as for `sudare backup`. KEY is the collection's, or enough of its
    beginning. Only a collection that says so keeps its
    reports; of any other, `GET /collections/KEY/aggregate` has the released sum. A folder has a
    part for each window, as data lakes have them: window=7/part-00000.parquet.

    \b
    Examples:
      sudare export collector.db 3f786850 -o reports.parquet
      sudare export collector.db 3f786850 -o lake
    """
    from sudare.collector.stores.export import count_kept, export_reports, find_collection
    from sudare.collector.stores.open import open_existing

    store, key = (store, key) if key is not None else (usual_store(), store)
    with naming_store(store):
        opened = open_existing(store)
    try:
        collection = find_collection(opened, key)
        if output.suffix:
            refuse_replacing(output, FileKind.REPORTS, collection.key, force=force)
        else:
            refuse_folder(output)
        total = count_kept(opened, collection, window)
        with progress_bar() as progress:
            task = progress.add_task("writing reports", total=total)
            written = export_reports(
                opened, collection, window, output, lambda size: progress.advance(task, size)
            )
    finally:
        opened.shut()
    say(f"{counted(written, 'report')} written", err=True)
