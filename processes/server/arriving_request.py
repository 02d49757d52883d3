"""The bytes of an HTTP request as they come in: how many will there be?

We read only enough to know when to stop waiting; the server's own parser does the rest.
"""

import re

from web.body_limits import LONGEST_BODY, LONGEST_UPLOAD

LONGEST_HEAD = 64 * 1024

END_OF_HEAD = b"\r\n\r\n"
LENGTH = re.compile(rb"\r\ncontent-length:[ \t]*(\d{1,12})[ \t]*\r\n", re.IGNORECASE)
UNKNOWN_LENGTH = re.compile(rb"\r\n(?:content-length|transfer-encoding):", re.IGNORECASE)
IN_PARTS = re.compile(rb"\r\ncontent-type:[ \t]*multipart/form-data\b", re.IGNORECASE)
EXPECTS_CONTINUE = re.compile(rb"\r\nexpect:[ \t]*100-continue[ \t]*\r\n", re.IGNORECASE)


class ArrivingRequest:
    def __init__(self, first: bytes = b"") -> None:
        self.received = bytearray()
        self.lacks_body = False  # there is one that we don't wait for: too long, or of unknown size
        self.body_refused = 0  # the status of an answer that says so
        self.expects_continue = False
        # Longer than other forms: whether it may be, and may take longer, is for others to say.
        self.is_upload = False
        self.length = 0
        self._head_size: int | None = None
        self.add(first)

    def add(self, some: bytes) -> None:
        searched = max(0, len(self.received) - len(END_OF_HEAD) + 1)
        self.received += some
        if self._head_size is None:
            # One empty line may precede a request; it does not end the head.
            start = max(searched, 2) if self.received.startswith(b"\r\n") else searched
            end = self.received.find(END_OF_HEAD, start)
            if end >= 0:
                self._measure(end + len(END_OF_HEAD))

    @property
    def is_whole(self) -> bool:
        if self._head_size is None:
            return False
        awaited = 0 if self.lacks_body else self.length
        return len(self.received) >= self._head_size + awaited

    @property
    def only_reads(self) -> bool:
        return self.received.startswith((b"GET ", b"HEAD "))

    @property
    def head_is_too_long(self) -> bool:
        return self._head_size is None and len(self.received) > LONGEST_HEAD

    @property
    def head(self) -> bytes:
        return bytes(self.received[: self._head_size or 0])

    def refuse_body(self, status: int) -> None:
        self.lacks_body, self.body_refused = True, status
        self.is_upload = self.expects_continue = False

    def _measure(self, head_size: int) -> None:
        self._head_size = head_size
        head = self.head
        found = LENGTH.search(head)
        self.length = int(found[1]) if found else 0
        longest = LONGEST_UPLOAD if IN_PARTS.search(head) else LONGEST_BODY
        self.lacks_body = self.length > longest or (not found and bool(UNKNOWN_LENGTH.search(head)))
        self.is_upload = LONGEST_BODY < self.length <= longest
        self.expects_continue = bool(EXPECTS_CONTINUE.search(head))
