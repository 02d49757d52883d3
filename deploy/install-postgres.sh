#!/bin/sh
# Install Debian's PostgreSQL and PgBouncer for the long tests where that is possible, and say what
# to do where it is not. No cluster is made: the tests start servers of their own.
set -eu
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    echo "installing PostgreSQL and PgBouncer for the tests …"
    apt-get update -qq >/dev/null
    mkdir -p /etc/postgresql-common
    echo "create_main_cluster = false" >> /etc/postgresql-common/createcluster.conf
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends postgresql pgbouncer >/dev/null
else
    echo "The long tests need PostgreSQL and PgBouncer (Debian: sudo apt-get install postgresql pgbouncer)."
    exit 1
fi
