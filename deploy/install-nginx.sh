#!/bin/sh
# Install Debian's nginx for the tests where that is possible, and say what to do where it is not.
set -eu
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    echo "installing nginx for the tests …"
    apt-get update -qq >/dev/null
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends nginx >/dev/null
else
    echo "The tests behind a proxy will be skipped: they need 'nginx' (Debian: sudo apt-get install nginx)."
fi
