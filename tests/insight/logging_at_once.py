"""What processes of a race do: without SQL, so without what hands over records."""

from insight.log import store
from insight.log.message import Line, Message
from insight.recording.buffer import Buffer
from redistools.client import get_client
from redistools.scripts import Batch


def log_around(edge: float, times: int) -> None:
    """A line a second, half of them before the edge; sent ten by ten."""
    buffer = Buffer()
    buffer.is_on = True
    message = Message("warning", "app", "hello %s")
    for number in range(times):
        at = edge + number - times / 2
        buffer.log(message, int(at) // 3600, Line(at, f"hello {at}", "web"))
        if number % 10 == 9:
            batch = Batch(get_client())
            store.add(batch, buffer.take().logged)
            batch.run()
