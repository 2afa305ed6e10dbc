"""OpenAPI's schemas as JSON Schema: what a schema refers to comes with it, and nothing else does."""

from callsheet.core.tools.json_schema import json_schema, with_definitions


def test_a_schema_brings_what_it_refers_to_and_what_that_refers_to_and_no_more() -> None:
    chain = {name: {"properties": {"next": {"$ref": f"#/components/schemas/{to}"}}} for name, to in ("ab", "bc", "ca")}
    document = {"components": {"schemas": {**chain, "other": {"type": "string"}}}}
    whole = with_definitions(json_schema({"$ref": "#/components/schemas/a"}), document)
    assert set(whole["$defs"]) == {"a", "b", "c"} and whole["$ref"] == "#/$defs/a"
    assert with_definitions({"type": "string"}, document) == {"type": "string"}


def test_what_only_openapi_has_is_left_out_and_its_own_ways_are_written_as_json_schema_has_them() -> None:
    written = {"type": "string", "nullable": True, "enum": ["a"], "example": "a", "x-note": 1, "xml": {"name": "b"}}
    assert json_schema(written) == {"type": ["string", "null"], "enum": ["a", None]}
    assert json_schema({"maximum": 5, "exclusiveMaximum": False}) == {"maximum": 5}
    assert json_schema({"maximum": 5, "exclusiveMaximum": True}) == {"exclusiveMaximum": 5}
    assert json_schema({"minimum": 0, "exclusiveMinimum": 1}) == {"minimum": 0, "exclusiveMinimum": 1}
    assert json_schema({"properties": {"example": {"nullable": True, "type": "null"}}})["properties"].keys() == {
        "example"
    }
