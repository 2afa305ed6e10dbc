"""Which tools' definitions a request carries, and how those that its step does not offer are barred (F5, D6).

Tools stand first in the cached prefix, so a block of tools of its own for each decision kind breaks the prefix at each
change of kind. The other way is one block for all kinds, the same in each request, of which the step names its own.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ..model.policy import DecisionKind, ModelProfile, Narrowing, Policy, ProposalKind
from ..model.request import RequestContext
from ..model.tool import ToolContract
from .prices import break_even
from .render.deferral import SEARCH


@dataclass(frozen=True, slots=True)
class ToolBlock:
    """The way it was decided for, and the block of tools that goes with it.

    `tools` are those defined in the request, and `proposals` the kinds of reply that stand among them; `why` tells the
    manifest which way and by which figures. `deferred` tools are left to the model's own search.
    """

    way: Narrowing
    tools: tuple[ToolContract, ...]
    proposals: tuple[ProposalKind, ...]
    why: str
    deferred: bool = False


def narrow(
    ctx: RequestContext,
    kind: DecisionKind,
    permitted: Sequence[ToolContract],
    policy: Policy,
    brought: Sequence[ToolContract] = (),
) -> ToolBlock:
    """The block of `_narrowed`, and behind it the definitions that a search brought in.

    They stand last, and the next search's behind them: of the tools, what a provider has cached stays as it was.
    """
    block = _narrowed(ctx, kind, permitted, policy)
    further = tuple(each for each in brought if each not in block.tools)
    return (
        replace(block, tools=(*block.tools, *further), why=f"{block.why}; {len(further)} found") if further else block
    )


def _narrowed(ctx: RequestContext, kind: DecisionKind, permitted: Sequence[ToolContract], policy: Policy) -> ToolBlock:
    """How this step's request narrows the tools. A tool that the actor may not use is defined in no way.

    The stable block pays where leaving out the other kinds' definitions would take longer to pay back than a kind of
    decision lasts (see prices.py). It is the same for every kind, so it is judged by the kind that reads the most in
    vain; what others left in the provider's cache is not counted on. Without known prices each kind has its own block.
    """
    own = tuple(each for each in permitted if each.name in kind.allowlist)
    stable = stable_way(policy.model)
    if 0 < policy.assembly.defer_above < len(own) and searches(policy.model):
        # Deferred definitions are no part of the cached prefix: there is nothing that a stable block would save.
        return ToolBlock("per-kind", own, kind.proposals, f"per-kind: {len(own)} tools deferred", deferred=True)
    if policy.assembly.narrowing == "per-kind" or stable == "per-kind":
        return ToolBlock("per-kind", own, kind.proposals, "per-kind")
    kinds = [each for each in policy.project.decisions.values() if ctx.may_see(each.scope)]
    whole = tuple(each for each in permitted if any(each.name in one.allowlist for one in kinds))
    pays, why = (True, "by the settings") if policy.assembly.narrowing != "auto" else _pays(kinds, whole, policy)
    if not pays:
        return ToolBlock("per-kind", own, kind.proposals, f"per-kind: {why}")
    # A decision that can be filled in no other way may always abstain.
    proposals = tuple(dict.fromkeys([*(each for one in kinds for each in one.proposals), "abstain"]))
    return ToolBlock(stable, whole, proposals, f"{stable}: {why}")


def stable_way(profile: ModelProfile) -> Narrowing:
    """The way this model documents to keep one block of tools and offer some of it; "per-kind" where it has none."""
    if profile.channel != "native-calls" or not profile.schema_in_prompt_prefix:
        return "per-kind"
    if profile.dialect in ("openai_chat", "openai_responses") and profile.traits.allowed_tools:
        return "allowed-tools"
    return "tool-changes" if profile.dialect == "anthropic" and profile.traits.tool_changes else "per-kind"


def searches(profile: ModelProfile) -> bool:
    """True where the model searches tools whose definitions were kept out of the prompt."""
    return profile.channel == "native-calls" and profile.traits.tool_search and profile.dialect in SEARCH


def _pays(kinds: Sequence[DecisionKind], whole: Sequence[ToolContract], policy: Policy) -> tuple[bool, str]:
    """Whether one block for all kinds costs less than one for each, and the figures that say so."""
    prices, tokens = policy.model.prices, {item.item_id: item.token_count for item in policy.project.tools}
    weight = {each.name: tokens[f"tool/{each.name}"] for each in whole}
    extra = max(sum(weight[name] for name in weight if name not in kind.allowlist) for kind in kinds)
    rewritten = sum(item.token_count for item in policy.project.instructions)
    least = policy.model.traits.cache_minimum
    if prices is None:
        return False, "no prices are known"
    if extra == 0 and len({kind.proposals for kind in kinds}) == 1:
        return False, "every kind has the same tools"
    if rewritten + sum(weight.values()) < least:
        return False, f"the prefix has {rewritten + sum(weight.values())} tokens, and none is cached below {least}"
    # A kind that leads on to another lasts one decision; one that does not may last as long as the run.
    lasts = 1 if any(kind.then not in (None, kind.name) for kind in kinds) else policy.ceilings.decisions
    rounds = break_even(extra, rewritten, prices)
    why = (
        f"leaving out {extra} tokens of tools and rewriting {rewritten} behind them pays back after {rounds:.3g} "
        f"decisions, and a kind lasts {lasts}"
    )
    return rounds > lasts, why
