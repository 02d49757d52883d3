import pytest

from users.login.agents import LONGEST, described, shortened


@pytest.mark.parametrize(
    ("agent", "device"),
    [
        (
            "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
            "Firefox on Linux",
        ),
        (
            "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) "
            "Chrome/141.0.0.0 Safari/537.36 Edg/141.0.0.0",
            "Edge on Windows",
        ),
        (
            "Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) "
            "Chrome/141.0.0.0 Mobile Safari/537.36",
            "Chrome on Android",
        ),
        (
            "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 "
            "(KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1",
            "Safari on iPhone",
        ),
        (
            "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like "
            "Gecko) Version/18.0 Safari/605.1.15",
            "Safari on macOS",
        ),
        ("Mozilla/5.0 (Windows NT 10.0) Presto OPR/100.0 Chrome/141", "Opera on Windows"),
        ("Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) Chrome/141.0", "Chrome on ChromeOS"),
        ("curl/8.5.0", "curl"),
        ("something on Android", "Android"),
        ("", "Unknown device"),
        ("<b>", "Unknown device"),
    ],
)
def test_a_browser_is_named_in_words(agent: str, device: str) -> None:
    assert described(agent) == device


def test_what_is_kept_is_short() -> None:
    assert len(shortened("x" * 10**6)) == LONGEST
    assert shortened("a\0b") == "ab"
