#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# pbs_tls_setup - an authority of the cluster's own, and certificates for its hosts.
set -eu
umask 077

days=825
usage() {
    cat <<'END'
Usage: pbs_tls_setup ca DIR
       pbs_tls_setup host DIR NAME[,NAME|,ADDRESS]... OUT_DIR
       pbs_tls_setup --version | --help
  ca    make DIR/ca.pem and DIR/ca.key; keep the key where nobody else gets to it
  host  make OUT_DIR/cert.pem and key.pem for a host, signed by that authority, and
        copy ca.pem beside them; the first name is the one that clients connect to
END
}
misused() { usage >&2; exit 2; }
die() { echo "pbs_tls_setup: $*" >&2; exit 1; }

make_ca() {
    [ ! -e "$1/ca.key" ] || die "$1/ca.key is there already"
    mkdir -p "$1"
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes \
        -keyout "$1/ca.key" -out "$1/ca.pem" -days 3650 -subj "/CN=PBS cluster authority" \
        -addext basicConstraints=critical,CA:TRUE \
        -addext keyUsage=critical,keyCertSign,cRLSign 2>/dev/null ||
        die "openssl could not make the authority"
    chmod 644 "$1/ca.pem"
}

# "a,10.0.0.1" -> "DNS:a,IP:10.0.0.1"
alt_names() {
    echo "$1" | tr ',' '\n' | while read -r name; do
        case "$name" in
        '') ;;
        *[!0-9.]*) printf 'DNS:%s,' "$name" ;;
        *) printf 'IP:%s,' "$name" ;;
        esac
    done | sed 's/,$//'
}

make_host() {
    dir=$1 names=$2 out=$3
    case "$names" in '' | *[!A-Za-z0-9.,_-]*) die "not names of hosts: $names" ;; esac
    [ -r "$dir/ca.key" ] || die "there is no authority in $dir"
    mkdir -p "$out"
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    cat >"$work/ext" <<END
basicConstraints=critical,CA:FALSE
keyUsage=critical,digitalSignature
extendedKeyUsage=serverAuth,clientAuth
subjectAltName=$(alt_names "$names")
END
    openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj "/CN=${names%%,*}" \
        -keyout "$work/key.pem" -out "$work/req" 2>/dev/null ||
        die "openssl could not make a key"
    openssl x509 -req -in "$work/req" -CA "$dir/ca.pem" -CAkey "$dir/ca.key" -days "$days" \
        -set_serial "0x$(openssl rand -hex 16)" -extfile "$work/ext" \
        -out "$work/cert.pem" 2>/dev/null || die "openssl could not sign the certificate"
    chmod 644 "$work/cert.pem"
    # The key first: a daemon that looks in between finds a pair that does not match,
    # says so, and looks again at the next connection.
    mv "$work/key.pem" "$out/key.pem"
    mv "$work/cert.pem" "$out/cert.pem"
    [ "$dir/ca.pem" -ef "$out/ca.pem" ] || cp "$dir/ca.pem" "$out/ca.pem"
    chmod 644 "$out/ca.pem"
}

case "${1:-}" in
ca) [ $# -eq 2 ] || misused; make_ca "$2" ;;
host) [ $# -eq 4 ] || misused; make_host "$2" "$3" "$4" ;;
--version)
    [ $# -eq 1 ] || misused
    echo "pbs_version = @PBS_VERSION@"
    echo "holdfast_version = @HOLDFAST_VERSION@" ;;
--help) [ $# -eq 1 ] || misused; usage ;;
*) misused ;;
esac
