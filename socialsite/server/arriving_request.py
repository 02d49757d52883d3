"""The bytes of an HTTP request as they come in: how many will there be?

We read only enough to know when to stop waiting. What a request means, and whether it is valid, is
up to the server's own parser.
"""

import re

LONGEST_HEAD = 64 * 1024
LONGEST_BODY = 1024 * 1024
# A form with files: two pictures, and the rest of the form. Pages that take none refuse it.
LONGEST_UPLOAD = 17 * 1024 * 1024

END_OF_HEAD = b"\r\n\r\n"
LENGTH = re.compile(rb"\r\ncontent-length:[ \t]*(\d{1,12})[ \t]*\r\n", re.IGNORECASE)
UNKNOWN_LENGTH = re.compile(rb"\r\n(?:content-length|transfer-encoding):", re.IGNORECASE)
IN_PARTS = re.compile(rb"\r\ncontent-type:[ \t]*multipart/form-data\b", re.IGNORECASE)
EXPECTS_CONTINUE = re.compile(rb"\r\nexpect:[ \t]*100-continue[ \t]*\r\n", re.IGNORECASE)


class ArrivingRequest:
    def __init__(self, first: bytes = b"") -> None:
        self.received = bytearray()
        self.lacks_body = False  # there is one that we don't wait for: too long, or of unknown size
        self.expects_continue = False
        self.is_upload = False  # it is longer than other forms, and may take longer
        self._size: int | None = None
        self.add(first)

    def add(self, some: bytes) -> None:
        searched = max(0, len(self.received) - len(END_OF_HEAD) + 1)
        self.received += some
        if self._size is None:
            # One empty line may precede a request; it does not end the head.
            start = max(searched, 2) if self.received.startswith(b"\r\n") else searched
            end = self.received.find(END_OF_HEAD, start)
            if end >= 0:
                self._measure(end + len(END_OF_HEAD))

    @property
    def is_whole(self) -> bool:
        """Has everything arrived that we wait for?"""
        return self._size is not None and len(self.received) >= self._size

    @property
    def only_reads(self) -> bool:
        return self.received.startswith((b"GET ", b"HEAD "))

    @property
    def head_is_too_long(self) -> bool:
        return self._size is None and len(self.received) > LONGEST_HEAD

    def _measure(self, head_size: int) -> None:
        head = bytes(self.received[:head_size])
        found = LENGTH.search(head)
        length = int(found[1]) if found else 0
        longest = LONGEST_UPLOAD if IN_PARTS.search(head) else LONGEST_BODY
        self.lacks_body = length > longest or (not found and bool(UNKNOWN_LENGTH.search(head)))
        self.is_upload = LONGEST_BODY < length <= longest
        self.expects_continue = bool(EXPECTS_CONTINUE.search(head))
        self._size = head_size if self.lacks_body else head_size + length
