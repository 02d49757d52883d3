import pytest

from search.index.window import reading
from search.query.meaning import meaning_of
from search.query.parsing import parse
from statuses.services import post_status
from tests.search.finding import found, index_all
from tests.search.windows import *

pytestmark=pytest.mark.usefixtures("small_segments")
def test_try(alice, bob):
    for n in range(11): post_status(author=alice, text=f"tea number {n}")
    index_all(); keep_all()
    print(segments.read(), [state(n) for n in numbers()])
    for n in range(11,25):
        post_status(author=alice, text=f"tea number {n}")
    index_all(); keep_all()
    print(segments.read(), [state(n) for n in numbers()])
    m=meaning_of(parse("tea"),viewer=None)
    r=reading.newest(m.wanted,m.bounds,100)
    print(r)
    assert len(r.ids)==25
    print(found("tea -8"))
