#!/bin/sh
# Install Debian's Redis for the tests where that is possible, and say what to do where it is not. No
# service runs, now or after the next start: the tests start servers of their own.
set -eu
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    echo "installing Redis for the tests …"
    apt-get update -qq >/dev/null
    # Packages ask this program whether they may start their services.
    policy=/usr/sbin/policy-rc.d
    if [ ! -e "$policy" ]; then
        trap 'rm -f "$policy"' EXIT
        printf '#!/bin/sh\nexit 101\n' > "$policy"
        chmod +x "$policy"
    fi
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends redis-server >/dev/null
    systemctl disable --quiet redis-server 2>/dev/null || true
else
    echo "These tests need 'redis-server' on PATH (Debian: sudo apt-get install redis-server)."
    exit 1
fi
