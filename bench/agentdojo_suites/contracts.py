"""What somebody with these tools would write down of them: contracts, and decision kinds with their allowlists.

Nothing here knows a task. A kind is chosen by its triggers in the user's words, the first that fits, as a run does it;
the reads of a suite are offered in every kind, what has effects only where the words call for it.
"""

from typing import Any

from callsheet.model.label import Label
from callsheet.model.policy import DecisionKind

PUBLIC = Label("untrusted", "public")
INTERNAL = Label("untrusted", "internal")
PRIVATE = Label("untrusted", "private")
OWN = Label("trusted", "public")
REGISTRY = Label("trusted", "internal")

MAIL = {
    "effects": "external",
    "authority": ("recipients", "cc", "bcc", "attachments"),
    "content": ("subject", "body"),
    "clearance": "internal",
}
ENTRY = {
    "effects": "external",
    "authority": ("participants",),
    "content": ("title", "description", "location"),
    "clearance": "internal",
    "names": ("title",),
    "keys": ("id_",),
}
EVENTS = {"returns": INTERNAL, "names": ("title",), "keys": ("id_", "participants")}
FILES = {"returns": INTERNAL, "names": ("filename",), "keys": ("id_",)}
CONTACTS = {"returns": PRIVATE, "names": ("name",), "keys": ("email",)}
MAILS = {"returns": PRIVATE}
PAYMENT = {"effects": "irreversible", "authority": ("recipient", "amount"), "content": ("subject",)}

WORKSPACE: dict[str, dict[str, Any]] = {
    "send_email": MAIL,
    "delete_email": {"effects": "irreversible", "authority": ("email_id",)},
    "create_calendar_event": ENTRY,
    "cancel_calendar_event": {"effects": "external", "authority": ("event_id",)},
    "reschedule_calendar_event": {"effects": "external", "authority": ("event_id",), "time": ("new_start_time",)},
    "add_calendar_event_participants": {"effects": "external", "authority": ("event_id", "participants")},
    "append_to_file": {
        "effects": "write", "authority": ("file_id",), "content": ("content",), "clearance": "private",
    },
    "create_file": {
        "effects": "write", "authority": ("filename",), "content": ("content",), "clearance": "private",
        "names": ("filename",), "keys": ("id_",),
    },
    "delete_file": {"effects": "irreversible", "authority": ("file_id",)},
    "share_file": {"effects": "external", "authority": ("file_id", "email")},
    "get_unread_emails": MAILS, "get_sent_emails": MAILS, "get_received_emails": MAILS, "get_draft_emails": MAILS,
    "search_emails": MAILS,
    "search_contacts_by_name": CONTACTS, "search_contacts_by_email": CONTACTS,
    "get_current_day": {"returns": OWN},
    "search_calendar_events": EVENTS, "get_day_calendar_events": EVENTS,
    "search_files_by_filename": FILES, "get_file_by_id": FILES, "list_files": FILES, "search_files": FILES,
}  # fmt: skip

TRAVEL: dict[str, dict[str, Any]] = {
    "send_email": MAIL,
    "create_calendar_event": ENTRY,
    "cancel_calendar_event": {"effects": "external", "authority": ("event_id",)},
    "search_calendar_events": EVENTS, "get_day_calendar_events": EVENTS,
    "reserve_hotel": {"effects": "external", "authority": ("hotel",), "time": ("start_day", "end_day")},
    "reserve_car_rental": {"effects": "external", "authority": ("company",), "time": ("start_time", "end_time")},
    "reserve_restaurant": {"effects": "external", "authority": ("restaurant",), "time": ("start_time",)},
    "get_user_information": {"returns": PRIVATE},
}  # fmt: skip

BANKING: dict[str, dict[str, Any]] = {
    "send_money": PAYMENT,
    "schedule_transaction": PAYMENT,
    "update_scheduled_transaction": {
        "effects": "write", "authority": ("id", "recipient", "amount"), "content": ("subject",),
    },
    "update_password": {"effects": "irreversible", "authority": ("password",)},
    "update_user_info": {"effects": "write", "authority": ("first_name", "last_name", "street", "city")},
    # The user himself wrote the subjects of his standing orders, so he names them by it.
    "get_scheduled_transactions": {"returns": PRIVATE, "names": ("subject",), "keys": ("id",)},
    "get_most_recent_transactions": {"returns": PRIVATE},
    "get_iban": {"returns": PRIVATE}, "get_balance": {"returns": PRIVATE}, "get_user_info": {"returns": PRIVATE},
    "read_file": {"returns": PRIVATE},
}  # fmt: skip

SLACK: dict[str, dict[str, Any]] = {
    "send_direct_message": {
        "effects": "external", "authority": ("recipient",), "content": ("body",), "clearance": "internal",
    },
    "send_channel_message": {
        "effects": "external", "authority": ("channel",), "content": ("body",), "clearance": "internal",
    },
    "add_user_to_channel": {"effects": "write", "authority": ("user", "channel")},
    "invite_user_to_slack": {"effects": "external", "authority": ("user", "user_email")},
    "remove_user_from_slack": {"effects": "irreversible", "authority": ("user",)},
    "get_webpage": {"effects": "external", "authority": ("url",), "returns": PUBLIC},
    "post_webpage": {"effects": "external", "authority": ("url",), "content": ("content",)},
    "get_channels": {"returns": REGISTRY}, "get_users_in_channel": {"returns": REGISTRY},
    "read_channel_messages": {"returns": INTERNAL}, "read_inbox": {"returns": INTERNAL},
}  # fmt: skip

CONTRACTS = {"workspace": WORKSPACE, "travel": TRAVEL, "banking": BANKING, "slack": SLACK}
"""Suite → tool → what its contract says; a tool without a row reads, and what it returns is public and not trusted."""


def _kind(name: str, tools: str, *triggers: str) -> DecisionKind:
    return DecisionKind(name, name, allowlist=tuple(tools.split()), triggers=triggers)


MESSAGES = "send_direct_message send_channel_message"
KINDS: dict[str, tuple[DecisionKind, ...]] = {
    "workspace": (
        _kind("errand", "append_to_file send_email", "do the actions", "do the tasks", "follow the instructions"),
        _kind("delete", "delete_file delete_email", "delete", "remove"),
        _kind("share", "create_file share_file", "share the", "share it", "share this"),
        _kind("mail", "send_email", "send", "email to", "via email", "reply", "forward"),
        _kind(
            "schedule",
            "create_calendar_event reschedule_calendar_event add_calendar_event_participants cancel_calendar_event",
            "create an event", "long event", "calendar", "reschedule", "participants", "cancel", "invite",
        ),
        _kind("write", "create_file append_to_file", "new file", "to the file", "add", "append", "write"),
    ),
    "travel": (
        _kind("remind", "create_calendar_event cancel_calendar_event", "calendar", "reminder", "appointment"),
        _kind("mail", "send_email", "email to", "mail to", "send"),
        _kind("reserve", "reserve_hotel reserve_restaurant reserve_car_rental", "reservation", "reserve", "book"),
    ),
    "banking": (
        _kind(
            "move house", "update_user_info update_scheduled_transaction schedule_transaction send_money",
            "account information", "my address", "new address", "new place",
        ),
        _kind("errand", "update_scheduled_transaction send_money", "follow the instructions", "do the tasks"),
        _kind("password", "update_password", "password"),
        _kind(
            "standing order", "update_scheduled_transaction schedule_transaction",
            "rent", "standing order", "standing orders", "scheduled", "recurring",
        ),
        _kind("pay", "send_money", "pay", "send", "refund", "transfer"),
    ),
    "slack": (
        _kind("invite", f"invite_user_to_slack add_user_to_channel {MESSAGES}", "invite"),
        _kind("errand", f"add_user_to_channel {MESSAGES}", "do all the tasks", "do the tasks", "follow"),
        _kind("membership", "add_user_to_channel", "add"),
        _kind("publish", "post_webpage", "our website", "our site", "publish"),
        _kind("message", MESSAGES, "send", "post", "write", "reply", "message"),
    ),
}  # fmt: skip
EVERYWHERE = {"slack": ("get_webpage",)}
"""What is offered in every kind beside the reads: to read a page is to tell its host something."""
