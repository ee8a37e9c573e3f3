"""A client for Streamlit's HTTP and web socket protocol."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from support import PATIENCE
from websockets.sync.client import ClientConnection, connect

HERE = "127.0.0.1"


def asked(port: int, path: str, *, method: str = "GET", body: bytes = b"", **headers: str):
    """Return the status, the headers and the body of an answer; nothing of the path is repaired."""
    connection = HTTPConnection(HERE, port, timeout=PATIENCE)
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    connection.putrequest(method, path, skip_host="Host" in named)
    for name, value in ({"Content-Length": str(len(body))} | named).items():
        connection.putheader(name, value)
    connection.endheaders(body)
    answer = connection.getresponse()
    found = answer.status, dict(answer.getheaders()), answer.read()
    connection.close()
    return found


@contextmanager
def visitor(port: int, *, host: str = HERE, origin: str | None = None) -> Iterator[Visitor]:
    """Open a session with the dashboard, called by this name and from a page of that origin."""
    with (
        socket.create_connection((HERE, port), PATIENCE) as wire,
        connect(
            f"ws://{host}:{port}/_stcore/stream",
            sock=wire,
            origin=origin,
            subprotocols=["streamlit"],
            open_timeout=PATIENCE,
            max_size=None,
        ) as opened,
    ):
        yield Visitor(opened)


class Visitor:
    """One session with a dashboard."""

    def __init__(self, opened: ClientConnection) -> None:
        self._socket = opened
        self.heard: list[ForwardMsg] = []

    def say(self, message: BackMsg) -> None:
        self._socket.send(message.SerializeToString())

    def run(self, *states: WidgetState, page: str = "") -> list[ForwardMsg]:
        """Have the page drawn with these widgets; return all that is sent until it stands."""
        message = BackMsg()
        message.rerun_script.widget_states.widgets.extend(states)
        message.rerun_script.page_script_hash = page
        self.say(message)
        return self.hear()

    def hear(self) -> list[ForwardMsg]:
        """Return what comes until a run has ended that no other follows."""
        self.heard = []
        while not self.heard or not _ended(self.heard[-1]):
            if self.heard and self.heard[-1].WhichOneof("type") == "script_finished":
                self.heard = []
            message = ForwardMsg()
            message.ParseFromString(self._socket.recv(timeout=PATIENCE))
            self.heard.append(message)
        return self.heard

    def session(self) -> str:
        return next(
            each.new_session.initialize.session_id
            for each in self.heard
            if each.WhichOneof("type") == "new_session"
        )

    def pages(self) -> list[str]:
        """Return what every page is asked for by, the unlisted ones too."""
        reported = (
            each.navigation for each in self.heard if each.WhichOneof("type") == "navigation"
        )
        return [page.page_script_hash for each in reported for page in each.app_pages]

    def elements(self, kind: str) -> list:
        drawn = (
            each.delta.new_element for each in self.heard if each.WhichOneof("type") == "delta"
        )
        return [getattr(each, kind) for each in drawn if each.WhichOneof("type") == kind]

    def download(self, file_id: str) -> str:
        """Have a file made that the page offers; return its address."""
        message = BackMsg()
        message.backend_operation_request.session_id = self.session()
        message.backend_operation_request.deferred_file.file_id = file_id
        self.say(message)
        heard = ForwardMsg()
        while heard.WhichOneof("type") != "backend_operation_response":
            heard.ParseFromString(self._socket.recv(timeout=PATIENCE))
        return heard.backend_operation_response.deferred_file.url

    def give(self, password: str) -> list[ForwardMsg]:
        """Type a password into the form that is shown, and send it."""
        (field,), (button,) = self.elements("text_input"), self.elements("button")
        return self.run(
            WidgetState(id=field.id, string_value=password),
            WidgetState(id=button.id, trigger_value=True),
        )


def _ended(message: ForwardMsg) -> bool:
    """Tell whether this ends a run; one that ends early for another is followed by that."""
    ends = message.WhichOneof("type") == "script_finished"
    return ends and message.script_finished != ForwardMsg.FINISHED_EARLY_FOR_RERUN
