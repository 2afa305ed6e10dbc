"""`@tool`: a typed function with its contract (D1), and the running of such functions."""

import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar, get_type_hints

from ...core.tools.contracts import contract_problems, read_rate
from ...model.label import Confidentiality, Label
from ...model.request import RequestContext
from ...model.tool import Condition, Effects, RawResult, ToolCall, ToolContract

if TYPE_CHECKING:
    from pydantic import BaseModel

F = TypeVar("F", bound=Callable[..., Any])
UNKNOWN = Label()
"""What is taken of a result that nobody has labelled."""
_CONTRACT = "__callsheet_contract__"
_CONTEXT = "ctx"
_KEY = "idempotency_key"
_WRAPPED = "result"
_LOST = (TimeoutError, ConnectionError)
"""What is raised where a call may have reached its end and its answer did not."""


class ToolFailure(Exception):
    """A failure that the tool's contract declares: raise it with the declared name and a sentence of detail."""

    def __init__(self, failure: str, detail: str = "") -> None:
        super().__init__(failure, detail)
        self.failure, self.detail = failure, detail


def tool(
    *,
    effects: Effects,
    authority: Iterable[str] = (),
    preconditions: Iterable[Condition] = (),
    postconditions: Iterable[Condition] = (),
    idempotent: bool = False,
    scope: str | None = None,
    failures: Iterable[str] = (),
    confirm: bool = False,
    decisive: Iterable[str] = (),
    reserved_words: Iterable[str] = (),
    offer: str = "",
    content: Iterable[str] = (),
    time: Iterable[str] = (),
    names: Iterable[str] = (),
    keys: Iterable[str] = (),
    clearance: Confidentiality = "public",
    returns: Label = UNKNOWN,
    cost: float = 0.0,
    timeout: float = 0.0,
    cache: float = 0.0,
    fallback: float = 0.0,
    rate: str = "",
    reconcile: Callable[..., Any] | str = "",
) -> Callable[[F], F]:
    """A decorator that gives a typed function its contract and leaves the function as it is.

    The schemas come from its annotations and the description from the first paragraph of its docstring. The engine
    passes in `ctx: RequestContext` and `idempotency_key: str`, where the function has such a parameter; neither is part
    of the schema. A return type that is no object is wrapped as `{"result": ...}`. `rate` reads "10/minute";
    `reconcile` is a tool of the same file, or its name; `timeout`, `cache` and `fallback` are seconds. A TypeError says
    what the function or the contract lacks.
    """

    terms = {
        "effects": effects,
        "idempotent": idempotent,
        "scope": scope,
        "confirm": confirm,
        "offer": offer,
        "clearance": clearance,
        "returns": returns,
        "cost": cost,
        "timeout": timeout,
        "cache": cache,
        "fallback": fallback,
        "rate": read_rate(rate) if rate else None,
        "reconcile": reconcile if isinstance(reconcile, str) else reconcile.__name__,
    }
    lists = {"authority": authority, "preconditions": preconditions, "postconditions": postconditions}
    lists |= {"failures": failures, "decisive": decisive, "reserved_words": reserved_words}
    lists |= {"content": content, "time": time, "names": names, "keys": keys}
    return _decorator({**terms, **{name: tuple(each) for name, each in lists.items()}})


def _decorator(terms: Mapping[str, Any]) -> Callable[[F], F]:
    def decorate(function: F) -> F:
        contract = ToolContract(
            function.__name__,
            _description(function),
            _input_schema(function),
            _output_schema(function),
            idempotency_key=_KEY if _KEY in inspect.signature(function).parameters else "",
            **terms,
        )
        if problem := next(contract_problems(contract), None):
            raise TypeError(f"{contract.name}: {problem}")
        setattr(function, _CONTRACT, contract)
        return function

    return decorate


def contract_of(function: object) -> ToolContract | None:
    """The contract of a function under `@tool`; None for anything else."""
    contract = getattr(function, _CONTRACT, None)
    return contract if isinstance(contract, ToolContract) else None


class FunctionTools:
    """The tools port over functions under `@tool`."""

    def __init__(self, functions: Iterable[Callable[..., Any]]) -> None:
        found = {contract.name: function for function in functions if (contract := contract_of(function))}
        self._functions = {name: found[name] for name in sorted(found)}
        self._arguments: dict[str, type[BaseModel]] = {}

    def contracts(self) -> tuple[ToolContract, ...]:
        """Every tool's contract, in name order."""
        return tuple(contract for function in self._functions.values() if (contract := contract_of(function)))

    def execute(self, call: ToolCall, ctx: RequestContext) -> RawResult:
        """What the function gave, as JSON types; a declared failure by its name, anything else it raised as `error`.

        Where it lost its connection or ran out of time, or gave what is no JSON, nobody can say whether it happened.
        """
        from pydantic_core import to_jsonable_python

        function = self._functions.get(call.tool)
        contract = contract_of(function)
        if function is None or contract is None:
            return RawResult(failure="error", detail=f"there is no tool {call.tool!r}")
        try:
            given = function(**self._bound(function, call, ctx))
        except ToolFailure as failure:
            declared = failure.failure in contract.failures
            said = failure.detail if declared else f"undeclared failure {failure.failure!r}: {failure.detail}"
            return RawResult(failure=failure.failure if declared else "error", detail=said)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # a tool may break in any way, and that is a result and no crash
            return RawResult(failure="error", detail=_told(error), unknown=isinstance(error, _LOST))
        try:
            value = to_jsonable_python(given)
        except Exception as error:
            return RawResult(failure="error", detail=f"what it gave is no JSON: {_told(error)}", unknown=True)
        return RawResult(value=value if _is_object(contract) and isinstance(value, dict) else {_WRAPPED: value})

    def _bound(self, function: Callable[..., Any], call: ToolCall, ctx: RequestContext) -> dict[str, Any]:
        if call.tool not in self._arguments:
            self._arguments[call.tool] = _arguments_model(function)
        read = self._arguments[call.tool].model_validate(dict(call.arguments))
        bound = {name: getattr(read, name) for name in call.arguments}
        given = {_CONTEXT: ctx, _KEY: call.key}
        return {**bound, **{name: given[name] for name in given if name in inspect.signature(function).parameters}}


def _told(error: BaseException) -> str:
    try:
        return f"{type(error).__name__}: {error}"
    except Exception:  # an error that breaks where it is to be told
        return type(error).__name__


def _description(function: Callable[..., Any]) -> str:
    paragraph = (inspect.getdoc(function) or "").split("\n\n", 1)[0]
    if not paragraph.strip():
        raise TypeError(f"{function.__name__} has no docstring: its first paragraph is what the model reads")
    return " ".join(paragraph.split())


def _arguments_model(function: Callable[..., Any]) -> "type[BaseModel]":
    from pydantic import ConfigDict, create_model

    if inspect.iscoroutinefunction(function):
        raise TypeError(f"{function.__name__} is async: write a plain function, the engine runs it off its own thread")
    hints = get_type_hints(function, include_extras=True)
    fields: dict[str, Any] = {}
    for name, parameter in inspect.signature(function).parameters.items():
        if (name, hints.get(name)) in ((_CONTEXT, RequestContext), (_KEY, str)):
            continue
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD, parameter.POSITIONAL_ONLY):
            raise TypeError(f"{function.__name__}({parameter}): a tool takes named parameters only")
        if name not in hints:
            raise TypeError(f"{function.__name__}: parameter {name!r} has no type, and the schema comes from the types")
        fields[name] = (hints[name], ... if parameter.default is parameter.empty else parameter.default)
    return create_model(function.__name__, __config__=ConfigDict(extra="forbid"), **fields)


def _input_schema(function: Callable[..., Any]) -> Mapping[str, Any]:
    schema = _untitled(_arguments_model(function).model_json_schema())
    return {"type": "object", "properties": {}, **schema, "additionalProperties": False}


def _output_schema(function: Callable[..., Any]) -> Mapping[str, Any]:
    from pydantic import TypeAdapter

    hint = get_type_hints(function, include_extras=True).get("return")
    if hint is None or hint is type(None):
        raise TypeError(f"{function.__name__} has no return type: the observation is made of the fields it declares")
    schema = _untitled(TypeAdapter(hint).json_schema(mode="serialization"))
    if schema.get("type") == "object" and "properties" in schema:
        return schema
    definitions = {"$defs": schema.pop("$defs")} if "$defs" in schema else {}
    return {"type": "object", "properties": {_WRAPPED: schema}, "required": [_WRAPPED], **definitions}


def _is_object(contract: ToolContract) -> bool:
    return set(contract.output_schema.get("properties", ())) != {_WRAPPED}


def _untitled(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema without made-up titles and without the type's own docstring: tokens that say nothing."""
    schema.pop("description", None)
    return {key: _without_titles(value) for key, value in schema.items() if key != "title"}


def _without_titles(value: Any) -> Any:
    if isinstance(value, list):
        return [_without_titles(entry) for entry in value]
    if not isinstance(value, dict):
        return value
    return {
        key: _without_titles(entry) for key, entry in value.items() if not (key == "title" and isinstance(entry, str))
    }
