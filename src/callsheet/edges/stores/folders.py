"""Deleting the folder of a tenant: moved under a name that says nothing, then deleted, so that no half stays."""

import shutil
from pathlib import Path
from secrets import token_hex

from .files import make_folder, storing, sync_folder
from .names import encode_name

GONE = ".gone"
"""Where the folder of a deleted tenant lies until it is deleted; no tenant's encoded name has a dot."""


def drop_folder(data_dir: Path, tenant_id: str) -> None:
    """Deletes all that lies in a tenant's folder, and the folder."""
    folder = data_dir / encode_name(tenant_id)
    with storing(folder):
        if folder.is_dir():
            make_folder(data_dir / GONE)
            folder.rename(data_dir / GONE / token_hex(8))
            sync_folder(data_dir)
    sweep(data_dir)


def sweep(data_dir: Path) -> None:
    """Deletes what a crash left of the folders of deleted tenants."""
    with storing(data_dir):
        if (data_dir / GONE).is_dir():
            shutil.rmtree(data_dir / GONE)
            sync_folder(data_dir)
