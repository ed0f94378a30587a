# prepare.sh - sourced by ./check, ./quickstart and .ci/run: Debian packages, configure,
# build. Prints what it does; everything it makes is below ./build.
#
# SPDX-License-Identifier: Apache-2.0

PACKAGES_BUILD="gcc make autoconf automake libtool pkg-config libevent-dev libssl-dev
    libsqlite3-dev libjansson-dev libedit-dev uthash-dev zlib1g-dev"
PACKAGES_TEST="libcunit1-dev python3 python3-pytest procps"

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

# install_packages NAME...: through apt-get, as root or with sudo.
install_packages() {
    local missing sudo=""
    missing=$(missing_packages "$@")
    [ -n "$missing" ] || return 0
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null || die "please install: $missing"
        sudo="sudo"
    fi
    say "installing: $missing"
    $sudo apt-get update -qq || die "apt-get update failed"
    # shellcheck disable=SC2086
    DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -qq --no-install-recommends \
        $missing >/dev/null || die "could not install: $missing"
}

# build DIR TARGET [CONFIGURE_ARG...]: an out-of-tree build below ./build/DIR, its
# output in build/DIR.log.
build() {
    local dir="build/$1" target="$2" top
    top=$(pwd)
    shift 2
    [ -x configure ] && [ configure -nt configure.ac ] || {
        say "making ./configure"
        ./autogen.sh >build-aux/autogen.log 2>&1 ||
            { cat build-aux/autogen.log; die "autogen.sh failed"; }
    }
    mkdir -p "$dir"
    say "building in $dir ($*)"
    (
        cd "$dir" || exit 1
        [ "$(cat .configured-with 2>/dev/null)" = "$*" ] || rm -f Makefile
        [ -f Makefile ] || "$top/configure" -q "$@" || exit 1
        printf '%s' "$*" >.configured-with
        make -s -j"$(nproc)" "$target"
    ) >"$dir.log" 2>&1 || { tail -n 60 "$dir.log"; die "the build failed: $dir.log"; }
}
