"""Answers to requests: JSON that nobody stores, errors of one line."""

import json
from typing import Any

from starlette.responses import JSONResponse, Response

NOT_STORED = {"cache-control": "no-store"}


class RefusedError(Exception):
    """The error that refuses a request: the status of the answer, and one line on why."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


def document(content: Any, status: int = 200) -> Response:
    """Answer with a JSON document."""
    text = json.dumps(content, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return Response(text.encode("utf-8", "backslashreplace"), status, NOT_STORED, "application/json")


def refusal(status: int, message: str) -> JSONResponse:
    """Answer with an error: one line, in the shape of all errors."""
    return JSONResponse({"error": " ".join(message.split())}, status, NOT_STORED)
