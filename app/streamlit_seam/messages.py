"""Messages of Streamlit's stream, as its protocol buffers have them."""

from __future__ import annotations


def with_script(raw: bytes, name: str) -> bytes:
    """A message to the browser with another name for the page script, where it tells one; any other message as it is."""
    from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

    told = ForwardMsg.FromString(raw)
    if told.WhichOneof("type") != "new_session":
        return raw
    told.new_session.main_script_path = name
    return bytes(told.SerializeToString())


def order(raw: bytes) -> tuple[str, str] | None:
    """What a browser asks for: the order's name, and of a ``backend_operation_request`` its operation; None: it is no message at all."""
    from google.protobuf.message import DecodeError
    from streamlit.proto.BackMsg_pb2 import BackMsg

    try:
        told = BackMsg.FromString(raw)
    except DecodeError:
        return None
    name = told.WhichOneof("type") or ""
    return name, (told.backend_operation_request.WhichOneof("payload") or "") if name == "backend_operation_request" else ""
