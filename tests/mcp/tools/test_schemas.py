import pytest

from chatd.domain.part import Json
from chatd.mcp.tools.schemas import BadSchema, fit_schema


def of(inner: Json, **more: Json) -> Json:
    return {"type": "object", "properties": {"x": inner}, **more}


def test_references_are_replaced_by_what_they_mean() -> None:
    schema = of(
        {"$ref": "#/$defs/Size", "description": "of the box"},
        **{
            "$defs": {
                "Size": {"type": "object", "properties": {"w": {"$ref": "#/$defs/Int"}}},
                "Int": {"type": "integer"},
            }
        },
    )

    assert fit_schema(schema) == of(
        {"type": "object", "properties": {"w": {"type": "integer"}}, "description": "of the box"}
    )


def test_a_reference_with_escapes_is_followed() -> None:
    assert fit_schema(of({"$ref": "#/$defs/a~1b"}, **{"$defs": {"a/b": {"type": "null"}}})) == of(
        {"type": "null"}
    )


@pytest.mark.parametrize(
    "reference",
    ["http://example.com/schema", "other.json#/a", "#/$defs/missing", "#/properties/y/z", 42, "#"],
)
def test_a_reference_that_leads_nowhere_out_or_back_allows_everything(reference: Json) -> None:
    fit = fit_schema(of({"$ref": reference}))

    assert fit["properties"]["x"] in ({}, of({}))


def test_a_property_may_be_called_like_a_keyword() -> None:
    schema = {
        "type": "object",
        "properties": {
            "$ref": {"type": "string"},
            "$defs": {"type": "string"},
            "properties": {"type": "object"},
        },
    }

    assert fit_schema(schema) == schema


def test_data_is_left_as_it_is_even_if_it_looks_like_a_schema() -> None:
    schema = of({"enum": [{"$ref": "#/x"}, "a\u202eb"], "default": {"$defs": 1}})

    assert fit_schema(schema) == schema


def test_words_for_the_model_are_cleaned_and_numbers_that_are_no_json_left_out() -> None:
    schema = of(
        {"description": "a\x1b[0mb\u202e", "maximum": float("inf"), "minimum": -(10**30), "enum": [1, 10**30]}
    )

    assert fit_schema(schema) == of({"description": "a[0mb", "enum": [1]})


def test_half_a_surrogate_pair_can_be_sent() -> None:
    assert fit_schema(of({"const": "\ud800"})) == of({"const": "\ufffd"})


@pytest.mark.parametrize("schema", [None, [], "x", True])
def test_what_is_no_schema_is_refused(schema: Json) -> None:
    with pytest.raises(BadSchema, match="not an object"):
        fit_schema(schema)


def test_references_that_multiply_are_refused_quickly() -> None:
    names = {f"l{n}": {"anyOf": [{"$ref": f"#/$defs/l{n + 1}"}] * 10} for n in range(20)}

    with pytest.raises(BadSchema, match="more than"):
        fit_schema(of({"$ref": "#/$defs/l0"}, **{"$defs": names}))
