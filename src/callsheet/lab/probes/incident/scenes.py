"""What is said in the incident: 39 turns of an on-call engineer with her assistant, a night at a ferry company."""

from collections.abc import Mapping
from dataclasses import dataclass

RULE = "HB-7731"
"""What the engineer rules in turn 2: the reference that every message to customers carries."""

FACT = "384"
"""What a tool says in turn 19: the limit of a pool before the push that broke it."""

SYSTEM = (
    "You help the on-call engineer of Harbourline, which sells tickets for ferries. Look things up with the tools, "
    "keep to what the engineer rules, and answer briefly."
)


@dataclass(frozen=True, slots=True)
class Scene:
    """One turn: what the engineer says, the rounds of calls it takes, and the assistant's answer."""

    says: str
    calls: tuple[tuple[str, Mapping[str, str]], ...]
    reply: str


def _scene(says: str, reply: str, *calls: tuple[str, Mapping[str, str]]) -> Scene:
    return Scene(says, calls, reply)


def _logs(service: str, minutes: str = "15") -> tuple[str, Mapping[str, str]]:
    return "search_logs", {"service": service, "minutes": minutes}


def _of(tool: str, **arguments: str) -> tuple[str, Mapping[str, str]]:
    return tool, arguments


SCENES: tuple[Scene, ...] = (
    _scene(
        "I was paged: people lose their seats while they pay. What fires?",
        "Several alerts fire; checkout and hold-api stand out.",
        _of("list_alerts"),
    ),
    _scene(
        f"A standing rule for this whole incident: every message to customers carries the reference {RULE} and no "
        "other. Now show me the log of checkout.",
        "Understood, I keep to that rule. Checkout reports holds that expire before the payment.",
        _logs("checkout"),
    ),
    _scene("And hold-api?", "The same: it waits for connections.", _logs("hold-api")),
    _scene(
        "Which customers wrote in?",
        "Many, from all regions, about seats that vanished.",
        _of("search_tickets", words="seat gone while paying"),
    ),
    _scene(
        "How do the figures of hold-api look?",
        "Errors rise with the open connections.",
        _of("get_metrics", service="hold-api"),
    ),
    _scene(
        "Was anything deployed?",
        "There were deployments of hold-api, none in the last hour.",
        _of("list_deployments", service="hold-api"),
        _of("list_deployments", service="checkout"),
    ),
    _scene("Is a flag to blame?", "No flag was changed tonight.", _of("get_flags", service="hold-api")),
    _scene(
        "What does the runbook say about holds?",
        "It says to look at the pool before the code.",
        _of("read_runbook", name="lost-holds"),
    ),
    _scene("Check pricing, to rule it out.", "Pricing is slow, but it does not fail.", _logs("pricing")),
    _scene("Sailings, too.", "Sailings is as always.", _of("get_metrics", service="sailings")),
    _scene("How many orders hang?", "A good number wait in the state paying.", _of("query_orders", state="paying")),
    _scene(
        "Tell the others that we look at holds.", "Posted.", _of("post_status", text="we look into lost seat holds")
    ),
    _scene("Who knows hold-store?", "Farah is on call for it.", _of("list_oncall")),
    _scene("Look at the log of hold-store.", "It turns connections away.", _logs("hold-store")),
    _scene("Its figures?", "The connections are at their ceiling.", _of("get_metrics", service="hold-store")),
    _scene(
        "Did anybody push configuration?",
        "There were pushes to hold-store this evening.",
        _of("get_config_history", service="hold-store"),
    ),
    _scene(
        "Compare with the ledger.",
        "The ledger had pushes as well, earlier.",
        _of("get_config_history", service="ledger"),
    ),
    _scene(
        "Show me the pools in south first.",
        "The limits in south were lowered by the push.",
        _of("get_pool_limits", region="south"),
    ),
    _scene(
        "Now north, where it began. We set the limits back at the end, so what they were before matters.",
        "The push lowered the limits in north, too. I have seen what they were before.",
        _of("get_pool_limits", region="north"),
    ),
    _scene("West as well.", "The same picture in west.", _of("get_pool_limits", region="west")),
    _scene("And the islands.", "The islands were lowered as well.", _of("get_pool_limits", region="islands")),
    _scene("More tickets?", "They keep coming.", _of("search_tickets", words="charged without a seat")),
    _scene("Does the mailer keep up?", "It is behind by some minutes.", _logs("mailer")),
    _scene(
        "Is the gateway healthy?",
        "Its errors come from hold-api alone.",
        _of("get_metrics", service="gateway"),
        _of("get_flags", service="gateway"),
    ),
    _scene(
        "What does the runbook say about pools?",
        "Set limits back region by region, and wait in between.",
        _of("read_runbook", name="connection-pools"),
    ),
    _scene("Any new alerts?", "The list has hardly changed.", _of("list_alerts")),
    _scene("Check the ledger for double bookings.", "I see none in the log.", _logs("ledger")),
    _scene("Orders that failed?", "These failed in the last hour.", _of("query_orders", state="failed")),
    _scene("Look at checkout again.", "Still holds that expire.", _logs("checkout", "10")),
    _scene(
        "Tell the others the cause.",
        "Posted.",
        _of("post_status", text="a push lowered connection limits; we set them back"),
    ),
    _scene("What do the figures of pricing say?", "Better than an hour ago.", _of("get_metrics", service="pricing")),
    _scene("Did sailings push anything?", "Nothing that bears on this.", _of("get_config_history", service="sailings")),
    _scene("Deployments of pricing?", "None tonight.", _of("list_deployments", service="pricing")),
    _scene("hold-api once more.", "It still waits for connections.", _logs("hold-api", "10")),
    _scene(
        "Who wrote about refunds?",
        "Some customers ask for their money.",
        _of("search_tickets", words="wants the money back"),
    ),
    _scene("Orders to be refunded?", "These are marked for it.", _of("query_orders", state="refund due")),
    _scene("The mailer again.", "It has caught up.", _of("get_metrics", service="mailer")),
    _scene("Is anybody from the ledger awake?", "Greta is on call there.", _of("list_oncall")),
    _scene("Last look at the alerts before we act.", "Ready when you are.", _of("list_alerts")),
)
"""All turns but the last, in which both the rule and the fact are needed: that one is the probe."""
