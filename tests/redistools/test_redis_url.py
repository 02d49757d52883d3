import pytest

from redistools.servers.redis_url import BadRedisURL, parse_url


@pytest.mark.parametrize(
    "url",
    [
        "redis://",
        "redis://localhost",
        "redis://user:secret@redis.example:6380/3",
        "rediss://:secret@redis.example/0?ssl_ca_certs=/etc/ca.pem",
        "redis://[::1]:6379/0",
        "unix:///run/redis.sock",
        "unix://user:secret@/run/redis.sock?db=2",
    ],
)
def test_the_url_of_one_server_is_left_to_redis_py(url: str) -> None:
    target = parse_url(url)
    assert (target.kind, target.url) == ("server", url)


@pytest.mark.parametrize(
    ("url", "hosts", "master", "options"),
    [
        (
            "redis+sentinel://one,two:26380/main",
            (("one", 26379), ("two", 26380)),
            "main",
            {"db": 0},
        ),
        (
            "redis+sentinel://ann:s%2Fec%40ret@one/main/2?sentinel_password=other",
            (("one", 26379),),
            "main",
            {"db": 2, "username": "ann", "password": "s/ec@ret", "sentinel_password": "other"},
        ),
        (
            "rediss+sentinel://:secret@[::1]:5000,[::2]/main",
            (("::1", 5000), ("::2", 26379)),
            "main",
            {"db": 0, "ssl": True, "password": "secret"},
        ),
        ("redis+cluster://one:7000,two", (("one", 7000), ("two", 6379)), "", {}),
        ("redis+cluster://one/0", (("one", 6379),), "", {}),
        (
            "rediss+cluster://ann:secret@one?socket_timeout=2.5",
            (("one", 6379),),
            "",
            {"ssl": True, "username": "ann", "password": "secret", "socket_timeout": 2.5},
        ),
    ],
)
def test_the_url_of_a_sentinel_or_cluster_is_taken_apart(
    url: str, hosts: tuple[tuple[str, int], ...], master: str, options: dict[str, object]
) -> None:
    target = parse_url(url)
    assert target.kind == ("sentinel" if "sentinel" in url.split(":")[0] else "cluster")
    assert (target.hosts, target.master, target.options) == (hosts, master, options)


@pytest.mark.parametrize(
    ("url", "complaint"),
    [
        ("", "must look like redis://"),
        ("localhost:6379", "got the scheme 'localhost'"),
        ("http://:secret@host", "got the scheme 'http'"),
        ("redis+proxy://:secret@host", "got the scheme 'redis[+]proxy'"),
        ("unix+cluster://:secret@host", "got the scheme 'unix[+]cluster'"),
        ("unix://", "must look like"),
        ("redis://:sec/ret@host:6379/0", "must look like"),
        ("redis://sec/ret@host:6379/0", "must look like"),
        ("redis://:secret@host:port/0", "must look like"),
        ("redis://:secret@host:99999/0", "must look like"),
        ("redis://:secret@host/first", "must look like"),
        ("redis://:secret℀@host", "must look like"),
        ("redis://:secret@host?socket_timeout=secret", "must look like"),
        ("redis+sentinel://:secret@host", "must name the master"),
        ("redis+sentinel://:secret@host/main/first", "must look like"),
        ("redis+sentinel://:sec/ret@host/main", "must look like"),
        ("redis+sentinel:///main", "must look like"),
        ("redis+sentinel://:secret@one,,two/main", "must look like"),
        ("redis+cluster://", "must look like"),
        ("redis+cluster://:secret@host/3", "must look like"),
        ("redis+cluster://:sec/ret@host", "must look like"),
        ("redis+cluster://:sec?ret@host", "must look like"),
        ("redis+cluster://:secret@one:7000,two:many", "must look like"),
        ("redis+cluster://:secret@one?socket_timeout=long", "must look like"),
    ],
)
def test_a_bad_url_is_refused_in_words_that_hold_no_password(url: str, complaint: str) -> None:
    with pytest.raises(BadRedisURL, match=complaint) as refused:
        parse_url(url)
    assert "sec" not in str(refused.value)
    # A traceback prints what an error came from, too.
    assert refused.value.__suppress_context__
