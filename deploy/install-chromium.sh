#!/bin/sh
# Install Debian's Chromium for the browser tests, and fonts that have what people write: Chinese,
# Japanese, emoji. The one without windows is quicker, but the usual one does where that can't be
# had. Where nothing can be installed, say what to do.
set -eu
browser=chromium-headless-shell
fonts="fonts-noto-core fonts-noto-cjk fonts-noto-color-emoji"
install() {
    echo "installing chromium and fonts for the browser tests …"
    apt-get update -qq >/dev/null
    apt-cache show $browser >/dev/null 2>&1 || browser=chromium
    # shellcheck disable=SC2086 - several words
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $browser $fonts fontconfig >/dev/null
}
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    install || command -v chromium >/dev/null
elif ! command -v chromium >/dev/null; then
    echo "The browser tests need '$browser' or 'chromium' on PATH, or are skipped; and fonts with Chinese, Japanese and emoji"
    echo "(Debian: sudo apt-get install $browser $fonts)."
fi
