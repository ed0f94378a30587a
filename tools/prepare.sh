# shellcheck shell=bash
# prepare.sh - sourced by ./check, ./quickstart and .ci/run: Debian packages, configure,
# build. Prints what it does; everything it makes is below ./build.
#
# SPDX-License-Identifier: Apache-2.0

# shellcheck disable=SC2034 # for the scripts that source this one
PACKAGES_BUILD=(gcc libc6-dev make autoconf automake libtool pkg-config libevent-dev
    libssl-dev libsqlite3-dev libpq-dev libjansson-dev libedit-dev libmunge-dev uthash-dev
    zlib1g-dev libical-dev libhwloc-dev)
# shellcheck disable=SC2034
PACKAGES_TEST=(libcunit1-dev xauth iproute2 python3 python3-pytest python3-pytest-timeout
    python3-pytest-xdist procps postgresql strace munge openssl gdb)

say() { printf '== %s\n' "$*"; }
die() { printf '%s: %s\n' "$(basename "$0")" "$*" >&2; exit 1; }

# missing_packages NAME...: those of them that are not installed.
missing_packages() {
    local p
    for p in "$@"; do
        dpkg-query -W -f '${Status}' "$p" 2>/dev/null | grep -q '^install ok installed' ||
            printf '%s ' "$p"
    done
}

# as_root COMMAND...: directly, or with sudo.
as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        "$@"
    else
        sudo "$@"
    fi
}

# install_packages NAME...: through apt-get, as root or with sudo.
install_packages() {
    local missing
    read -r -a missing < <(missing_packages "$@"; echo)
    [ ${#missing[@]} -gt 0 ] || return 0
    [ "$(id -u)" -eq 0 ] || command -v sudo >/dev/null ||
        die "these packages are missing, and there is no sudo: ${missing[*]}"
    say "installing: ${missing[*]}"
    as_root apt-get update -qq || die "apt-get update failed"
    as_root env DEBIAN_FRONTEND=noninteractive \
        apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null ||
        die "could not install: ${missing[*]}"
}

# build DIR TARGET [CONFIGURE_ARG...]: an out-of-tree build below ./build/DIR, its
# output in build/DIR.log.
build() {
    local dir="build/$1" target="$2"
    shift 2
    mkdir -p "$dir"
    if [ ! -x configure ] || [ configure -ot configure.ac ]; then
        say "making ./configure"
        ./autogen.sh >build/autogen.log 2>&1 ||
            { cat build/autogen.log; die "autogen.sh failed"; }
    fi
    say "building in $dir${*:+ ($*)}"
    (
        cd "$dir" || exit 1
        [ "$(cat .configured-with 2>/dev/null)" = "$*" ] || rm -f Makefile
        # A relative path: configure refuses absolute ones with a blank.
        [ -f Makefile ] || ../../configure -q "$@" || exit 1
        printf '%s' "$*" >.configured-with
        make -s -j"$(nproc)" "$target"
    ) >"$dir.log" 2>&1 || { tail -n 60 "$dir.log"; die "the build failed: $dir.log"; }
}
