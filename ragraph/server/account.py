"""The user that runs the server, and that user's access to the store's folder when root starts the server.

PostgreSQL refuses to run as root, so root's server runs as a service user. That user must pass through the folders
above the store and above the programs. The folders are not opened to everybody: an access control list gives this one
user the right to pass (x, not r). Each changed folder is logged.
"""

from __future__ import annotations

import errno
import logging
import os
import shlex
import stat
import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ragraph.base import system
from ragraph.errors import ServerError

if TYPE_CHECKING:
    from pathlib import Path

log = logging.getLogger("ragraph.server")

_SERVICE_USERS = ("ragraph", "postgres", "nobody")

_USER_OBJ, _USER, _GROUP_OBJ, _GROUP, _MASK, _OTHER = 0x01, 0x02, 0x04, 0x08, 0x10, 0x20
_NO_ID = 0xFFFFFFFF
_X = 1

_Entries = dict[tuple[int, int], int]  # (tag, id) -> permissions


@dataclass(frozen=True)
class Account:
    """A user of the operating system."""

    name: str
    uid: int
    gid: int

    def run_as(self) -> dict[str, Any]:
        """Return the arguments of subprocess that run a program as this user."""
        if os.geteuid() == self.uid:
            return {}
        return {"user": self.uid, "group": self.gid, "extra_groups": []}

    def own(self, path: Path) -> None:
        """Change the owner of one of our files or folders to this user."""
        if os.geteuid() != self.uid:
            os.chown(path, self.uid, self.gid, follow_symlinks=False)


def server_account(data: Path) -> Account:
    """Return the user that runs the server of a data folder.

    That is the folder's owner, else the current user, or a service user if the current user is root.

    Raises:
        ServerError: there is no such user, or the folder belongs to another user.
    """
    me = os.geteuid()
    owner = data.stat().st_uid if data.exists() else None
    if me != 0:
        if owner not in {None, me}:
            raise ServerError(
                f"{data} belongs to another user: run as that user, or set RAGRAPH_HOME to a folder of your own"
            )
        return _by_uid(me)
    if owner:
        return _by_uid(owner)
    for name in _SERVICE_USERS:
        if (user := system.user_named(name)) is not None:
            return Account(name, user.pw_uid, user.pw_gid)
    raise ServerError(
        "PostgreSQL does not run as root: make a user for it (useradd --system ragraph), or do not run as root"
    )


def user_name(uid: int) -> str:
    """Return the name of a user, as the server sees it when a client connects.

    Raises:
        ServerError: the user has no entry in the user database, so PostgreSQL cannot know it.
    """
    return _by_uid(uid).name


def _by_uid(uid: int) -> Account:
    user = system.user_numbered(uid)
    if user is None:
        raise ServerError(
            f"user id {uid} has no entry in /etc/passwd, which PostgreSQL needs: add one, or set RAGRAPH_DATABASE_URL"
        )
    return Account(user.pw_name, user.pw_uid, user.pw_gid)


def follow_owner(path: Path) -> None:
    """Give a file that root made in a store to the owner of its folder, who must be able to use it afterwards."""
    if os.geteuid() == 0:
        owner = path.parent.stat()
        os.chown(path, owner.st_uid, owner.st_gid, follow_symlinks=False)


def let_pass(folder: Path, account: Account) -> bool:
    """Let the user pass through a folder and all folders above it, if we are root and it cannot yet.

    Returns:
        True if a folder was changed.

    Raises:
        ServerError: the file system of a folder has no access control lists.
    """
    changed = False
    if os.geteuid() == account.uid:
        return changed
    for place in [*reversed(folder.parents), folder]:
        entries = _entries(place)
        if _may_pass(entries, place.stat(), account):
            continue
        try:
            system.set_access_list(place, _packed(_granted(entries, account)))
        except OSError as error:
            if error.errno not in {errno.ENOTSUP, errno.EPERM, errno.EROFS, errno.EACCES}:
                raise
            raise ServerError(
                f"user {account.name}, who runs PostgreSQL for root, cannot pass through {place}: "
                f"set RAGRAPH_HOME to a folder it can reach, or run chmod o+x on that folder"
            ) from None
        log.warning("user %s, who runs PostgreSQL for root, may now pass through %s", account.name, place)
        changed = True
    return changed


def check_readable(path: Path, account: Account, package: Path) -> None:
    """Check that the user can read a file of a package, which a strict umask may prevent.

    Raises:
        ServerError: the user cannot read it.
    """
    found = path.stat()
    if account.uid not in {os.geteuid(), found.st_uid} and not found.st_mode & stat.S_IROTH:
        raise ServerError(
            f"user {account.name}, who runs PostgreSQL for root, cannot read {path}: "
            f"run chmod -R o+rX {shlex.quote(str(package))}"
        )


def _entries(place: Path) -> _Entries:
    mode = place.stat().st_mode
    entries = {
        (_USER_OBJ, _NO_ID): mode >> 6 & 7,
        (_GROUP_OBJ, _NO_ID): mode >> 3 & 7,
        (_OTHER, _NO_ID): mode & 7,
    }
    packed = system.access_list(place)
    if packed is None:  # the mode is all there is
        return entries
    return {(tag, number): allowed for tag, allowed, number in struct.iter_unpack("<HHI", packed[4:])}


def _may_pass(entries: _Entries, status: os.stat_result, account: Account) -> bool:
    mask = entries.get((_MASK, _NO_ID), 7)
    if status.st_uid == account.uid:
        return bool(status.st_mode & stat.S_IXUSR)
    if (_USER, account.uid) in entries:
        return bool(entries[_USER, account.uid] & mask & _X)
    groups = [entries[_GROUP_OBJ, _NO_ID]] if status.st_gid == account.gid else []
    if (_GROUP, account.gid) in entries:
        groups.append(entries[_GROUP, account.gid])
    if groups:
        return any(allowed & mask & _X for allowed in groups)
    return bool(entries[_OTHER, _NO_ID] & _X)


def _granted(entries: _Entries, account: Account) -> _Entries:
    mask = entries.get((_MASK, _NO_ID))
    # widening the mask must not activate rights of other users that it withheld
    changed = {
        key: allowed & mask if mask is not None and key[0] in {_USER, _GROUP, _GROUP_OBJ} else allowed
        for key, allowed in entries.items()
        if key[0] != _MASK
    }
    changed[_USER, account.uid] = changed.get((_USER, account.uid), 0) | _X
    widest = 0
    for (tag, _), allowed in changed.items():
        if tag in {_USER, _GROUP, _GROUP_OBJ}:
            widest |= allowed
    changed[_MASK, _NO_ID] = widest
    return changed


def _packed(entries: _Entries) -> bytes:
    rows = sorted((tag, number, allowed) for (tag, number), allowed in entries.items())
    return struct.pack("<I", 2) + b"".join(struct.pack("<HHI", tag, allowed, number) for tag, number, allowed in rows)
