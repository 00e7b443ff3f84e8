"""The texts, pictures, sounds, prompts and resources that the official suite expects word for word."""

from collections.abc import Callable
from typing import Any

from tests.conformance.rounds import elicited, sampled

PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
WAV = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA="

Blocks = list[dict[str, Any]]


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def message(content: dict[str, Any]) -> dict[str, Any]:
    return {"role": "user", "content": content}


def embedded(uri: str, kind: str, words: str) -> dict[str, Any]:
    return {"type": "resource", "resource": {"uri": uri, "mimeType": kind, "text": words}}


IMAGE = {"type": "image", "data": PNG, "mimeType": "image/png"}
BLOCKS: dict[str, Blocks] = {
    "test_simple_text": [text("This is a simple text response for testing.")],
    "test_image_content": [IMAGE],
    "test_audio_content": [{"type": "audio", "data": WAV, "mimeType": "audio/wav"}],
    "test_embedded_resource": [
        embedded("test://embedded-resource", "text/plain", "This is an embedded resource content.")
    ],
    "test_multiple_content_types": [
        text("Multiple content types test:"),
        IMAGE,
        embedded("test://mixed-content-resource", "application/json", '{"test":"data","value":123}'),
    ],
    "json_schema_2020_12_tool": [text("Fine.")],
}

RESOURCES = [
    {"uri": "test://static-text", "name": "static-text", "description": "A text.", "mimeType": "text/plain"},
    {"uri": "test://static-binary", "name": "static-binary", "description": "A picture.", "mimeType": "image/png"},
    {"uri": "test://watched-resource", "name": "watched", "description": "Watched.", "mimeType": "text/plain"},
]
TEMPLATES = [
    {
        "uriTemplate": "test://template/{id}/data",
        "name": "template",
        "description": "Data by id.",
        "mimeType": "application/json",
    }
]
CONTENTS: dict[str, dict[str, str]] = {
    "test://static-text": {
        "mimeType": "text/plain",
        "text": "This is the content of the static text resource.",
    },
    "test://static-binary": {"mimeType": "image/png", "blob": PNG},
    "test://watched-resource": {"mimeType": "text/plain", "text": "Watched."},
}


def _argument(name: str) -> dict[str, Any]:
    return {"name": name, "description": f"The {name}.", "required": True}


PROMPTS = [
    {"name": "test_simple_prompt", "description": "A prompt without arguments."},
    {
        "name": "test_prompt_with_arguments",
        "description": "A prompt with arguments.",
        "arguments": [_argument("arg1"), _argument("arg2")],
    },
    {
        "name": "test_prompt_with_embedded_resource",
        "description": "A prompt around a resource.",
        "arguments": [_argument("resourceUri")],
    },
    {"name": "test_prompt_with_image", "description": "A prompt around a picture."},
    {"name": "test_input_required_result_prompt", "description": "A prompt that asks for context first."},
]
PROMPT_QUESTION = {"user_context": elicited("What context should the prompt use?", context="string")}


def prompt_messages(name: str, arguments: dict[str, Any]) -> Blocks | None:
    """The messages of a prompt; `None` for a name of none."""
    match name:
        case "test_simple_prompt":
            return [message(text("This is a simple prompt for testing."))]
        case "test_prompt_with_arguments":
            first, second = arguments.get("arg1"), arguments.get("arg2")
            return [message(text(f"Prompt with arguments: arg1='{first}', arg2='{second}'"))]
        case "test_prompt_with_embedded_resource":
            resource = embedded(
                str(arguments.get("resourceUri")), "text/plain", "Embedded resource content for testing."
            )
            return [message(resource), message(text("Please process the embedded resource above."))]
        case "test_prompt_with_image":
            return [message(IMAGE), message(text("Please analyze the image above."))]
        case _:
            return None


_CHOICES = [("value1", "First Option"), ("value2", "Second Option"), ("value3", "Third Option")]
_TITLED = [{"const": value, "title": title} for value, title in _CHOICES]
_PLAIN = ["option1", "option2", "option3"]
ENUMS = {
    "untitledSingle": {"type": "string", "enum": _PLAIN},
    "titledSingle": {"type": "string", "oneOf": _TITLED},
    "legacyEnum": {
        "type": "string",
        "enum": ["opt1", "opt2", "opt3"],
        "enumNames": ["Option One", "Option Two", "Option Three"],
    },
    "untitledMulti": {"type": "array", "items": {"type": "string", "enum": _PLAIN}},
    "titledMulti": {"type": "array", "items": {"anyOf": _TITLED}},
}
DEFAULTS = {
    "name": {"type": "string", "default": "John Doe"},
    "age": {"type": "integer", "default": 30},
    "score": {"type": "number", "default": 95.5},
    "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
    "verified": {"type": "boolean", "default": True},
}


def _form(properties: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    schema = {"type": "object", "properties": properties, "required": []}
    return "elicitation/create", {"message": "Please fill in.", "requestedSchema": schema}


def _question(asked: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    return asked["method"], asked["params"]


QUESTIONS: dict[str, Callable[[dict[str, Any]], tuple[str, dict[str, Any]]]] = {
    "test_sampling": lambda told: _question(sampled(str(told.get("prompt")))),
    "test_elicitation": lambda told: _question(elicited(str(told.get("message")), username="string", email="string")),
    "test_elicitation_sep1034_defaults": lambda _: _form(DEFAULTS),
    "test_elicitation_sep1330_enums": lambda _: _form(ENUMS),
}

WHOLE = [
    "test_tool_with_progress",
    "test_tool_with_logging",
    "test_logging_tool",
    "test_streaming_elicitation",
    "test_missing_capability",
    *QUESTIONS,
]
SCHEMAS: dict[str, dict[str, Any]] = {
    "test_sampling": {"type": "object", "properties": {"prompt": {"type": "string"}}, "required": ["prompt"]},
    "test_elicitation": {"type": "object", "properties": {"message": {"type": "string"}}, "required": ["message"]},
    "json_schema_2020_12_tool": {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {
            "address": {
                "$anchor": "addressDef",
                "type": "object",
                "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
            }
        },
        "properties": {
            "name": {"type": "string"},
            "address": {"$ref": "#/$defs/address"},
            "contactMethod": {"type": "string", "enum": ["phone", "email"]},
            "phone": {"type": "string"},
            "email": {"type": "string"},
        },
        "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
        "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
        "then": {"required": ["phone"]},
        "else": {"required": ["email"]},
        "additionalProperties": False,
    },
}
