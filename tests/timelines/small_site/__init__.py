import pytest

# A failure says what differs.
pytest.register_assert_rewrite(f"{__name__}.comparing", f"{__name__}.site")
