from datetime import timedelta

import pytest
from django.contrib.sessions.models import Session
from django.test import Client
from django.utils import timezone

from taskqueue.backend import get_backend
from taskqueue.drain import drain
from taskqueue.periodic import Timetable
from taskqueue.store import Queue
from users import tasks
from users.models import User


@pytest.mark.django_db(transaction=True)
def test_expired_sessions_are_removed_every_hour(alice: User, bob: User) -> None:
    for user in (alice, bob):
        Client().force_login(user)
    expired = Session.objects.all()[:1].get()
    Session.objects.filter(pk=expired.pk).update(expire_date=timezone.now() - timedelta(hours=1))

    Timetable([Queue("default")], backend=get_backend("default")).queue_due()
    drain()
    assert Session.objects.count() == 1
    assert not Session.objects.filter(pk=expired.pk).exists()
    tasks.remove_expired_sessions.call()  # again changes nothing
    assert Session.objects.count() == 1
