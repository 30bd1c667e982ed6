"""Copies that a block stages in shared memory, read again from where they came."""
