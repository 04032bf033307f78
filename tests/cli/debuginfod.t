#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Debug files from debuginfod servers on 127.0.0.1: when they are asked, and that a bad one costs one line.
set -u
. "$(dirname "$0")/tap.sh"
cd "$tmp" || exit 1
export HOME=$tmp
unset DEBUGINFOD_CACHE_PATH DEBUGINFOD_TIMEOUT DEBUGINFOD_MAXTIME DEBUGINFOD_MAXSIZE no_proxy http_proxy
server=

id=c0ffee00c0ffee01
gcc -O2 -g -ffreestanding -fno-pic -no-pie -nostdlib -static -Wl,--build-id=0x$id -o guest "$here/names/guest.c" ||
	echo 'Bail out! no guest'
gcc -O2 -g -ffreestanding -fno-pic -no-pie -nostdlib -static -Wl,--build-id=0xc0ffee00c0ffee02 -o other "$here/names/guest.c"
at() { printf '%x' $((0x$(nm guest | awk -v name="$1" '$3 == name {print $1}') + $2)); }
leaf=$(objdump -d --no-show-raw-insn --disassemble=leaf guest | awk '$2 == "pause" {sub(":", "", $1); print $1}')
echo "$leaf $(at work 8) $(at _start 16)" >lines
"$mktrace" stacks <lines >run.upf
objcopy --only-keep-debug guest guest.debug
objcopy --only-keep-debug other other.debug
strip -o stripped guest
strip --strip-debug -o names guest
whole='_start;work;leaf;twice 1'
without=$("$report" --folded -q -s stripped run.upf 2>/dev/null)

# serve MODE: a fresh server, and a fresh cache; its address in $url.
serve() {
	stop
	rm -rf .cache .debuginfod_client_cache srv/port srv/requests
	mkdir -p srv
	"$here/debuginfod/server" "$1" srv &
	server=$!
	await [ -s srv/port ]
	url=http://127.0.0.1:$(cat srv/port)
}
stop() {
	[ -n "$server" ] && kill "$server" 2>/dev/null && wait "$server" 2>/dev/null
	server=
}
trap 'stop; rm -rf "$tmp"' EXIT

# shows NAME TEXT LINES COMMAND...: exactly TEXT, and so many lines of messages.
shows() {
	local name=$1 text=$2 lines=$3
	shift 3
	"$@" >out 2>err </dev/null
	code=$?
	sed 's/^/# /' err
	[ "$(cat out)" = "$text" ] || diff <(echo "$text") out | sed 's/^/# /'
	[ "$(cat out)" = "$text" ] && [ $code -eq 0 ] && [ "$(wc -l <err)" -eq "$lines" ]
	ok $? "$name"
}

says() { # says NAME PATTERN: in the last messages
	grep -q -- "$2" err
	ok $? "$1"
}

requests() { [ -f srv/requests ] && wc -l <srv/requests || echo 0; }

# --- a good server
serve files
(: <"/dev/tcp/127.0.0.1/$(cat srv/port)") 2>/dev/null || {
	echo '1..0 # SKIP no loopback network here'
	exit
}
cp guest.debug "srv/$id"
shows 'no server is asked unless somebody wants it' "$without" 0 "$report" --folded -q -s stripped run.upf
[ "$(requests)" -eq 0 ]
ok $? 'nor was one'
shows '--debuginfod=URL' "$whole" 0 "$report" --folded -q --debuginfod="$url" -s stripped run.upf
[ "$(requests)" -eq 1 ]
ok $? 'asked once for names and lines'
shows 'DEBUGINFOD_URLS alone' "$whole" 0 env DEBUGINFOD_URLS="$url" "$report" --folded -q -s stripped run.upf
[ "$(requests)" -eq 1 ]
ok $? 'from the cache now'
shows '--debuginfod, with DEBUGINFOD_URLS' "$whole" 0 env DEBUGINFOD_URLS="$url" "$report" --folded -q --debuginfod -s stripped run.upf
shows '--debuginfod=no' "$without" 0 env DEBUGINFOD_URLS="$url" "$report" --folded -q --debuginfod=no -s stripped run.upf
shows 'for lines alone' "$whole" 0 "$report" --folded -q --debuginfod="$url" -s names run.upf
rm -rf .cache
shows 'no DWARF, no question about lines' '_start;work;leaf 1' 0 "$report" --folded -q --no-inline --debuginfod="$url" -s names run.upf
[ "$(requests)" -eq 1 ]
ok $? 'so it was'
mkdir -p root/.build-id/c0 && cp guest.debug root/.build-id/c0/ffee00c0ffee01.debug
shows 'what is below --symfs comes first' "$whole" 0 "$report" --folded -q --debuginfod="$url" --symfs root -s stripped run.upf
[ "$(requests)" -eq 1 ]
ok $? 'without a question'
rm srv/$id
rm -rf .cache
shows 'no server has it: one line' "$without" 1 "$report" --folded -q --debuginfod="$url" -s stripped run.upf
says 'which tells the server and the build-id' "debuginfod $url: build-id $id: no server has its debug file"
[ "$(requests)" -eq 2 ]
ok $? 'one question'
cp guest.debug "srv/$id"
rm -rf .cache
shows 'the second of two servers has it' "$whole" 0 "$report" --folded -q --debuginfod="http://127.0.0.1:1 $url" -s stripped run.upf

# --- wrong words
"$report" --folded --debuginfod -s stripped run.upf >out 2>err
[ $? -eq 2 ]
ok $? '--debuginfod without any server: refused'
says 'and what is missing' 'DEBUGINFOD_URLS is not set'
"$report" --folded --debuginfod=server -s stripped run.upf >out 2>err
[ $? -eq 2 ]
ok $? 'no URL: refused'

# --- bad servers: what the server does, and what is said about it. Those that do not end are left alone after a second.
# bad MODE PATTERN
bad() {
	serve "$1"
	DEBUGINFOD_TIMEOUT=1 shows "$1: the profile without it, one line" "$without" 1 \
		"$report" --folded -q --debuginfod="$url" -s stripped run.upf
	says "$1: $2" "$2"
}
bad error 'no server has its debug file'
bad noise 'no server has its debug file'
bad cut 'debuginfod'
bad page 'not an ELF file'
bad huge 'larger than 2 GiB'
bad drip 'too slow'
bad silent 'does not answer'
serve files
cp other.debug "srv/$id"
shows "another build's file" "$without" 1 "$report" --folded -q --debuginfod="$url" -s stripped run.upf
says 'is not taken' 'the file of another build'
stop
rm -rf .cache
shows 'a server that is down' "$without" 1 "$report" --folded -q --debuginfod="$url" -s stripped run.upf
says 'is told' "debuginfod $url: build-id $id: "

done_testing
