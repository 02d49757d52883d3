import threading


class Bell:
    """Wakes the idle lanes of a worker: at once for new work, in time for delayed work.

    One idle lane keeps watch and wakes by itself; the others sleep until rung for. So an idle
    worker asks Redis once in a while, not once for each of its lanes.
    """

    def __init__(self) -> None:
        self.somebody_sleeps = threading.Event()
        self._condition = threading.Condition()
        self._sleepers = 0
        self._watched = False
        self._closed = False

    def sleep(self, seconds: float) -> None:
        """Until rung for. If nobody else keeps watch, for at most this many seconds."""
        with self._condition:
            if self._closed:
                return
            keeps_watch, self._watched = not self._watched, True
            self._sleepers += 1
            self.somebody_sleeps.set()
            self._condition.wait(seconds if keeps_watch else None)
            self._sleepers -= 1
            if keeps_watch:
                self._watched = False
            if not self._sleepers:
                self.somebody_sleeps.clear()

    def ring(self) -> bool:
        with self._condition:
            self._condition.notify()
            return self._sleepers > 0

    def hand_watch_over(self) -> None:
        """Called by a lane that has found work: another must keep watch now."""
        with self._condition:
            if not self._watched:
                self._condition.notify()

    def close(self) -> None:
        with self._condition:
            self._closed = True
            self._condition.notify_all()
        self.somebody_sleeps.set()
