"""The grants that the engine itself knows; every other grant is a permission scope of the project's own."""

AUDIT, APPROVE, DELETE, MEMORY, PUBLISH = "audit", "approve", "delete", "memory", "publish"

GRANTS: dict[str, str] = {
    AUDIT: "look up the requests and events of every subject of the tenant",
    APPROVE: "decide on tool calls that wait, of every subject of the tenant; without it a session decides on its own",
    DELETE: "destroy the content of every subject of the tenant; without it a session destroys its own",
    MEMORY: "write and delete memories of every subject",
    PUBLISH: "write knowledge that every tenant reads",
}
"""What each of them allows; `docs/project-folder.md` documents them."""
