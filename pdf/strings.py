"""Strings out of PDFium."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


def utf16(ask: Callable[..., int]) -> str:
    """Return the text that a function of PDFium writes into a buffer as UTF-16, without blanks at its ends.

    Args:
        ask: gets the buffer, or None, and its size in bytes; returns the size that is needed.
    """
    import pypdfium2.raw as pdfium

    size = ask(None, 0)
    if size <= 2:
        return ""
    room = (ctypes.c_ushort * (size // 2 + 1))()
    ask(ctypes.cast(room, ctypes.POINTER(pdfium.FPDF_WCHAR)), size)
    return bytes(room)[: size - 2].decode("utf-16-le", errors="replace").replace("\x00", "").strip()
