"""`kill -9` at random moments: of web, worker, streams and Redis, each as often as the others."""

import random
import time
from collections import Counter
from collections.abc import Callable

import psutil

from tests.running_site import RunningSite

from .mortal_redis import MortalRedis

KILLS_OF_EACH = 3
SECONDS_BETWEEN = 4.0
# By what we know their command lines.
WORDS = {"web": "socialsite.wsgi", "worker": "manage.py worker", "streams": "socialsite.asgi"}


class Killing:
    """The same seed kills the same in the same order. Redis dies in three ways, in turn."""

    def __init__(self, site: RunningSite, redis: MortalRedis, *, seed: int, seconds: float) -> None:
        self._site, self._redis = site, redis
        self._dice = random.Random(seed)
        self._seconds = seconds
        self.kills: Counter[str] = Counter()
        self._redis_deaths = [self._kill_redis, self._kill_slow_redis, self._kill_forgetful_redis]
        self._dice.shuffle(self._redis_deaths)

    def run(self) -> None:
        of_each = max(KILLS_OF_EACH, round(self._seconds / SECONDS_BETWEEN / 4))
        victims = ["web", "worker", "streams", "redis"] * of_each
        self._dice.shuffle(victims)
        pause = self._seconds / len(victims)
        for victim in victims:
            time.sleep(self._dice.uniform(0.5, 1.5) * pause)
            if victim == "redis":
                self._next_redis_death()()
            else:
                self._kill_process(victim)
            self.kills[victim] += 1

    def _next_redis_death(self) -> Callable[[], None]:
        death = self._redis_deaths.pop(0)
        self._redis_deaths.append(death)
        return death

    def _kill_process(self, victim: str) -> None:
        """The master of a role or, as often, one of its processes. One that is not there yet is
        awaited.
        """
        family = self._family(victim)
        while not family:
            time.sleep(0.1)
            family = self._family(victim)
        self._dice.choice([family[0], family[-1]]).kill()

    def _family(self, victim: str) -> list[psutil.Process]:
        try:
            master = self._site.child(WORDS[victim])
            return [master, *master.children()]
        except (LookupError, psutil.NoSuchProcess):
            return []

    def _kill_redis(self) -> None:
        self._redis.kill()
        self._redis.start()

    def _kill_slow_redis(self) -> None:
        if self._redis.can_be_slow:
            self._redis.kill_after_slow_syncs()
            self._redis.start()
        else:
            print("There is no compiler: Redis dies without a slow disk")
            self._kill_redis()

    def _kill_forgetful_redis(self) -> None:
        self._redis.kill()
        self._redis.forget()
        self._redis.start()
