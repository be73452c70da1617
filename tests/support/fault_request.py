"""One request to an application in this process, byte by byte, without a client's good manners."""

from collections.abc import Sequence
from typing import Any, cast

from sudare.collector.http.app import App

ADDRESS = "192.0.2.77"


async def request(
    app: App, target: bytes, headers: list[tuple[bytes, bytes]], parts: Sequence[bytes | None]
) -> tuple[int, bytes] | None:
    """One request, its body in parts; None among them is where the connection breaks."""
    path, _, query = target.partition(b"?")
    waiting = list(parts)
    told: dict[str, Any] = {"body": b""}

    async def receive() -> dict[str, Any]:
        part = waiting.pop(0) if waiting else None
        if part is None:
            return {"type": "http.disconnect"}
        return {"type": "http.request", "body": part, "more_body": bool(waiting)}

    async def send(message: Any) -> None:
        if message["type"] == "http.response.start":
            told["status"] = message["status"]
        else:
            told["body"] += message.get("body", b"")

    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "scheme": "http",
        "method": "POST",
        "path": path.decode("latin-1"),
        "raw_path": path,
        "root_path": "",
        "query_string": query,
        "headers": headers,
        "client": (ADDRESS, 1),
        "server": ("127.0.0.1", 80),
    }
    await app(scope, cast("Any", receive), send)
    return (told["status"], told["body"]) if "status" in told else None
