"""The fixture tools that ask for input before they answer, round by round."""

from dataclasses import dataclass
from typing import Any


def elicited(message: str, **properties: str) -> dict[str, Any]:
    schema = {
        "type": "object",
        "properties": {name: {"type": kind} for name, kind in properties.items()},
        "required": list(properties),
    }
    return {"method": "elicitation/create", "params": {"message": message, "requestedSchema": schema}}


def sampled(words: str) -> dict[str, Any]:
    messages = [{"role": "user", "content": {"type": "text", "text": words}}]
    return {"method": "sampling/createMessage", "params": {"messages": messages, "maxTokens": 100}}


ROOTS: dict[str, Any] = {"method": "roots/list", "params": {}}
NEEDS = {"elicitation/create": "elicitation", "sampling/createMessage": "sampling", "roots/list": "roots"}


@dataclass(frozen=True)
class Round:
    """Questions that are asked together."""

    questions: dict[str, dict[str, Any]]
    keeps_state: bool = True
    heeds_capabilities: bool = False

    def fitting(self, able: dict[str, Any]) -> dict[str, dict[str, Any]]:
        """The questions that the client can answer, where this round heeds that."""
        if not self.heeds_capabilities:
            return self.questions
        return {key: asked for key, asked in self.questions.items() if NEEDS[asked["method"]] in able}


NAME = elicited("What is your name?", name="string")
ROUNDS: dict[str, list[Round]] = {
    "test_input_required_result_elicitation": [Round({"user_name": NAME}, keeps_state=False)],
    "test_input_required_result_sampling": [
        Round({"capital_question": sampled("What is the capital of France?")}, keeps_state=False)
    ],
    "test_input_required_result_list_roots": [Round({"client_roots": ROOTS}, keeps_state=False)],
    "test_input_required_result_request_state": [Round({"confirm": elicited("Please confirm", ok="boolean")})],
    "test_input_required_result_multiple_inputs": [
        Round({"user_name": NAME, "greeting": sampled("Generate a greeting"), "client_roots": ROOTS})
    ],
    "test_input_required_result_multi_round": [
        Round({"step1": elicited("Step 1: What is your name?", name="string")}),
        Round({"step2": elicited("Step 2: What is your favorite color?", color="string")}),
    ],
    "test_input_required_result_tampered_state": [Round({"confirm": elicited("Please confirm", ok="boolean")})],
    "test_input_required_result_capabilities": [
        Round({"user_name": NAME, "greeting": sampled("Generate a greeting")}, heeds_capabilities=True)
    ],
}
