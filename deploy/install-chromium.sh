#!/bin/sh
# Install Debian's Chromium for the browser tests, and fonts that have what people write: Chinese,
# Japanese, emoji. Where that is not possible, say what to do.
set -eu
packages="chromium fonts-noto-core fonts-noto-cjk fonts-noto-color-emoji"
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    echo "installing chromium and fonts for the browser tests …"
    apt-get update -qq >/dev/null
    # shellcheck disable=SC2086 - several words
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $packages fontconfig >/dev/null
else
    echo "The browser tests need 'chromium' on PATH, or are skipped; and fonts with Chinese, Japanese and emoji"
    echo "(Debian: sudo apt-get install $packages)."
fi
