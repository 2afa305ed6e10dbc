"""The twelve tools of the incident, and what each of them puts out: the same rows for the same question, always."""

from collections.abc import Callable, Iterator, Mapping
from hashlib import blake2b

from ....model.message import ToolDefinition
from .scenes import FACT

SERVICES = ("checkout", "hold-api", "hold-store", "pricing", "sailings", "ledger", "mailer", "gateway")
REGIONS = ("north", "south", "west", "islands")
POOLS = ("hold-store", "hold-cache", "ledger-main", "ledger-read", "pricing-main", "sailings-read")
LIMITS: Mapping[tuple[str, str], tuple[int, int]] = {("hold-store", "north"): (int(FACT), 96)}
"""What the story needs: a pool's limit before the push and after it."""
FAULTS = (
    "hold expired before payment",
    "no connection within 2000 ms",
    "upstream answered 409",
    "retry budget spent",
    "slow query",
    "lease renewed late",
)
PARAMETERS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "search_logs": ("Log lines of a service, newest last.", ("service", "minutes")),
    "get_metrics": ("Minute values of a service: requests, errors, p95 in ms, open connections.", ("service",)),
    "list_alerts": ("Alerts that fire or fired today.", ()),
    "list_deployments": ("Deployments of the last two days.", ("service",)),
    "get_config_history": ("Changes of configuration, with who pushed them.", ("service",)),
    "get_pool_limits": ("Connection limits of every pool of a region, before and after the last push.", ("region",)),
    "get_flags": ("Feature flags and their share of traffic.", ("service",)),
    "search_tickets": ("Customers' tickets with their references.", ("words",)),
    "query_orders": ("Orders that match a state.", ("state",)),
    "read_runbook": ("A runbook, whole.", ("name",)),
    "list_oncall": ("Who is on call, by team.", ()),
    "post_status": ("Posts to the internal status page.", ("text",)),
}


def definitions() -> tuple[ToolDefinition, ...]:
    """The twelve tools as a request offers them."""
    return tuple(
        ToolDefinition(
            name=name,
            description=said,
            schema={
                "type": "object",
                "properties": {each: {"type": "string"} for each in wanted},
                "required": list(wanted),
            },
        )
        for name, (said, wanted) in PARAMETERS.items()
    )


def output(tool: str, arguments: Mapping[str, str], turn: int, rows: int) -> str:
    """What a tool puts out in a turn: `rows` lines where it gives many, fewer where there are no more."""
    about = next(iter(arguments.values()), "")
    return "\n".join(OUTPUTS[tool](about, f"{tool}/{about}/{turn}", rows))


def number(seed: str, low: int, high: int) -> int:
    """A number in [low, high] that depends on the seed alone, and is never the fact's."""
    drawn = low + int.from_bytes(blake2b(seed.encode(), digest_size=8).digest()) % (high - low + 1)
    return number(f"{seed}+", low, high) if str(drawn) == FACT else drawn


def reference(seed: str) -> str:
    """A reference of a ticket; none is the one that the standing rule names."""
    return f"HB-{number(seed, 7100, 7699)}"


def _service(seed: str) -> str:
    return SERVICES[number(seed + "service", 0, len(SERVICES) - 1)]


def _region(seed: str) -> str:
    return REGIONS[number(seed + "region", 0, len(REGIONS) - 1)]


def _clock(seed: str, row: int) -> str:
    return f"{2 + row // 40:02d}:{row % 40 + 10:02d}:{number(seed + 'second', 0, 59):02d}"


def _logs(service: str, seed: str, rows: int) -> Iterator[str]:
    for row in range(rows):
        one = f"{seed}/{row}"
        level = ("INFO", "WARN", "ERROR")[number(one + "level", 0, 2)]
        fault = FAULTS[number(one + "fault", 0, len(FAULTS) - 1)]
        yield (
            f"{_clock(one, row)} {level} {service} {_region(one)} req={number(one + 'req', 100000, 999999)} "
            f"ticket={reference(one)} {fault} after {number(one + 'ms', 12, 2400)} ms"
        )


def _metrics(service: str, seed: str, rows: int) -> Iterator[str]:
    yield "minute requests errors p95_ms connections"
    for row in range(rows):
        one = f"{seed}/{row}"
        figures = (number(one + "r", 800, 4200), number(one + "e", 0, 390), number(one + "p", 80, 2300))
        yield f"{_clock(one, row)[:5]} {' '.join(map(str, figures))} {number(one + 'c', 40, 470)}"


def _alerts(_: str, seed: str, rows: int) -> Iterator[str]:
    for row in range(min(rows, 12)):
        one = f"{seed}/{row}"
        alert, rate = number(one + "id", 300, 999), number(one + "rate", 2, 40)
        yield f"A-{alert} {_service(one)} error rate {rate} % since {_clock(one, row)[:5]}"


def _deployments(service: str, seed: str, rows: int) -> Iterator[str]:
    for row in range(min(rows, 10)):
        one = f"{seed}/{row}"
        build = f"{number(one + 'a', 1, 9)}.{number(one + 'b', 0, 40)}.{number(one + 'c', 0, 9)}"
        yield f"D-{number(one, 2000, 2999)} {service} {build} to {_region(one)} at {_clock(one, row)[:5]}"


def _changes(service: str, seed: str, rows: int) -> Iterator[str]:
    for row in range(min(rows, 10)):
        one = f"{seed}/{row}"
        before, after = number(one + "b", 40, 470), number(one + "a", 40, 470)
        yield f"C-{number(one, 500, 799)} {service} max_waiting {before} -> {after} at {_clock(one, row)[:5]}"


def _pools(region: str, seed: str, rows: int) -> Iterator[str]:
    limits = {pool: LIMITS.get((pool, region)) or _drawn(f"{region}/{pool}") for pool in POOLS}
    yield from (f"limit before the push, region {region}, pool {pool}: {was}" for pool, (was, _) in limits.items())
    yield from (f"limit now, region {region}, pool {pool}: {now}" for pool, (_, now) in limits.items())
    yield from _logs("pool-manager", seed, max(0, rows - 2 * len(POOLS)))


def _drawn(seed: str) -> tuple[int, int]:
    return number(seed + "before", 110, 479), number(seed + "now", 40, 109)


def _flags(service: str, seed: str, rows: int) -> Iterator[str]:
    for row, name in enumerate(("fast-holds", "new-seat-map", "bulk-release", "quote-cache", "late-payment")):
        one = f"{seed}/{row}"
        yield f"{service}.{name} {('off', 'on')[number(one, 0, 1)]} for {number(one + 's', 1, 99)} %"


def _tickets(words: str, seed: str, rows: int) -> Iterator[str]:
    for row in range(rows):
        one = f"{seed}/{row}"
        yield (
            f"{reference(one)} reference of a customer in {_region(one)}: {words}, "
            f"order {number(one + 'o', 10000, 99999)}, {number(one + 's', 1, 6)} seats"
        )


def _orders(state: str, seed: str, rows: int) -> Iterator[str]:
    for row in range(rows):
        one = f"{seed}/{row}"
        order, price, sailing = number(one, 10000, 99999), number(one + "p", 18, 390), number(one + "s", 100, 480)
        yield f"order {order} {state} {price}.00 EUR sailing S{sailing}"


def _runbook(name: str, seed: str, rows: int) -> Iterator[str]:
    yield f"# {name}"
    for row in range(min(rows, 9)):
        one = f"{seed}/{row}"
        wait = number(one + "ms", 150, 900)
        yield f"{row + 1}. Where {_service(one)} waits more than {wait} ms, look at its pool before its code."


def _oncall(_: str, seed: str, rows: int) -> Iterator[str]:
    people = ("Ines", "Tomasz", "Farah", "Bo", "Yusuf", "Greta", "Maren", "Luca")
    for service, person in zip(SERVICES, people, strict=True):
        yield f"{service}: {person}, extension {number(f'{seed}/{service}', 3000, 3999)}"


def _posted(text: str, seed: str, rows: int) -> Iterator[str]:
    yield f"posted as note N-{number(seed, 200, 899)}: {text}"


OUTPUTS: Mapping[str, Callable[[str, str, int], Iterator[str]]] = {
    "search_logs": _logs,
    "get_metrics": _metrics,
    "list_alerts": _alerts,
    "list_deployments": _deployments,
    "get_config_history": _changes,
    "get_pool_limits": _pools,
    "get_flags": _flags,
    "search_tickets": _tickets,
    "query_orders": _orders,
    "read_runbook": _runbook,
    "list_oncall": _oncall,
    "post_status": _posted,
}
