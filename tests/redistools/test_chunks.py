from redistools.chunks import chunks


def test_every_item_comes_once_and_in_order() -> None:
    assert list(chunks(range(7), 3)) == [[0, 1, 2], [3, 4, 5], [6]]
    assert list(chunks([1, 2], 2)) == [[1, 2]]
    assert list(chunks([], 3)) == []


def test_no_more_is_read_than_asked_for() -> None:
    source = iter(range(10))
    next(chunks(source, 3))
    assert next(source) == 3
