"""Conversations in files: out as JSONL (exact), HTML or Markdown; in from JSONL and other programs' transcripts."""

from __future__ import annotations

from .files import FORMATS, read, write
from .report import Read

__all__ = ["FORMATS", "Read", "read", "write"]
