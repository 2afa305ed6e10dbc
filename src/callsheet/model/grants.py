"""The grants that the engine itself knows; every other grant is a permission scope of the project's own."""

AUDIT = "audit"
"""To look up the requests and events of every subject of the tenant."""
APPROVE = "approve"
"""To decide on tool calls that wait, of every subject of the tenant; without it a session decides on its own."""
DELETE = "delete"
"""To destroy, certify and export what is kept of every subject of the tenant, and to destroy the tenant itself; without
it a session does so with its own subject.
"""
MEMORY = "memory"
"""To write memories of every subject, to delete and export what is kept of one, and to write memory files that the
tenant shares.
"""
PUBLISH = "publish"
"""To write knowledge and memory files that every tenant reads."""
