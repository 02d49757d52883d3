"""httpx for tests: on a busy machine an answer may take longer than its usual five seconds."""

from functools import partial

import httpx

SECONDS = 60

get = partial(httpx.get, timeout=SECONDS)
head = partial(httpx.head, timeout=SECONDS)
options = partial(httpx.options, timeout=SECONDS)
post = partial(httpx.post, timeout=SECONDS)
stream = partial(httpx.stream, timeout=SECONDS)
