#!/bin/sh
# Makes sure that the tools of `make` are there. Prints nothing when they are.
#
# Installs what is missing with apt-get, as root or through sudo without a
# password. Elsewhere it says in one line what to install. Go is never installed:
# Debian's own is too old, and which Go a machine has is its owner's choice.
set -eu

go_wanted=1.26
packages=
optional=

# need COMMAND PACKAGE
need() {
	command -v "$1" >/dev/null 2>&1 || packages="$packages $2"
}

# die MESSAGE
die() {
	echo "setup: $1" >&2
	exit 1
}

need verilator verilator
need iverilog iverilog
need yosys yosys
need g++ g++
need make make
need perl perl
need ccache ccache
need python3 python3
# Optional: waves as FST, and the test that opens views in a viewer.
command -v vcd2fst >/dev/null 2>&1 || optional="gtkwave"
# Go fetches modules over TLS.
if command -v apt-get >/dev/null 2>&1 && [ ! -e /etc/ssl/certs/ca-certificates.crt ]; then
	packages="$packages ca-certificates"
fi

if [ -n "$packages" ]; then
	if ! command -v apt-get >/dev/null 2>&1; then
		die "missing:$packages; install them with this system's package manager, then run again"
	elif [ "$(id -u)" -eq 0 ]; then
		as_root=
	elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
		as_root="sudo -n"
	else
		die "missing:$packages; run: sudo apt-get install --no-install-recommends$packages"
	fi
	echo "setup: installing$packages" >&2
	log=$(mktemp)
	trap 'rm -f "$log"' EXIT
	# shellcheck disable=SC2086 # both are lists of words
	if ! {
		$as_root apt-get -q -o DPkg::Lock::Timeout=300 update &&
			$as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y \
				-o DPkg::Lock::Timeout=300 install --no-install-recommends $packages
	} >"$log" 2>&1 </dev/null; then
		tail -n 15 "$log" >&2
		die "apt-get could not install$packages (its last lines are above); install them by hand, then run again"
	fi
fi

get_go="unpack the official archive of Go $go_wanted into /usr/local/go; a Go from 1.21 on, with GOTOOLCHAIN=auto, fetches it by itself"
command -v go >/dev/null 2>&1 || die "missing: Go $go_wanted or newer; $get_go"
cd "$(dirname "$0")/.."
have=$(go env GOVERSION 2>&1) || die "Go $go_wanted or newer is needed ($(echo "$have" | tail -n 1)); $get_go"
if [ "$(printf 'go%s\n%s\n' "$go_wanted" "$have" | sort -V | tail -n 1)" != "$have" ]; then
	die "Go $go_wanted or newer is needed, this is $have; $get_go"
fi

[ -z "$optional" ] || echo "setup: $optional is not there; only waves as FST need it" >&2
