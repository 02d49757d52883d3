#!/bin/sh
# Install Debian's Chromium for the browser tests where that is possible, and say what to do where it is not.
set -eu
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    echo "installing chromium for the browser tests …"
    apt-get update -qq >/dev/null
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium >/dev/null
else
    echo "The browser tests will be skipped: they need 'chromium' on PATH (Debian: sudo apt-get install chromium)."
fi
