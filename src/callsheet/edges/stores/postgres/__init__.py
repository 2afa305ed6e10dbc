"""Stores in PostgreSQL: one database for all tenants, parted by forced row-level security. Needs `callsheet[postgres]`.

Loaded when a project asks for it.
"""
