#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# uniprof-top and uniprof-report --top in real terminals, of several sizes: what they show, by keys, and how they end.
set -u
# shellcheck source=tests/cli/tap.sh
. "$(dirname "$0")/tap.sh"
if ! command -v tmux > /dev/null; then
	echo "1..0 # SKIP no tmux here"
	exit
fi
cd "$tmp" || exit
ln -s "$build/uniprof-record-sim" uniprof-top
ln -s "$build/uniprof-report" uniprof-report
started=0
terminals() {
	tmux -u -S "$tmp/terminal.$started" -f /dev/null "$@"
}
trap 'terminals kill-server 2> /dev/null; rm -rf "$tmp"' EXIT

# start COLUMNSxROWS COMMAND: in a terminal of this size; when it has ended, its status is in "status"; the modes of
# the terminal before it are in "before".
start() {
	rm -f status before
	terminals kill-server 2> /dev/null
	((++started))
	terminals new-session -d -x "${1%x*}" -y "${1#*x}" -e LANG=C.UTF-8 -e NO_COLOR="${plain-}" \
		"cd $tmp; stty -g > before; $2 2> errors; echo \$? > status; read -r line"
}
# The screen, without colours.
screen() {
	terminals capture-pane -p > screen
	sed 's/^/  /' screen
}
shows() {
	screen && grep -qE -- "$1" screen
}
has() { # REGEX...: soon all of them are on the screen
	local one

	for one; do
		await shows "$one" > awaited || { tail -n 50 awaited; return 1; }
	done
}
keys() {
	terminals send-keys "$@"
}
fits() {
	screen && [ "$(wc -L < screen)" -le "$1" ]
}
# left STATUS: it has ended so, no process of it is left, and the terminal is as it was.
left() {
	await [ -s status ] && await gone || return
	cat status errors
	stty -g < "$(terminals display-message -p '#{pane_tty}')" > after
	[ "$(cat status)" = "$1" ] && cmp before after && await restored
}
restored() {
	[ "$(terminals display-message -p '#{alternate_on} #{cursor_flag}')" = "0 1" ]
}
# Processes of this test with such a command line; other recorders may run here, too.
mine() { # REGEX
	local pid

	for pid in $(pgrep -f -- "$1"); do
		[ "$(readlink "/proc/$pid/cwd")" != "$tmp" ] || echo "$pid"
	done
}
recorders='^\./uniprof-top -F'
viewers='^uniprof-report --top .*-q -$'
gone() {
	[ -z "$(mine "$recorders"; mine "$viewers")" ]
}
send() { # SIGNAL REGEX
	local pids

	mapfile -t pids < <(mine "$2")
	kill "-$1" "${pids[@]}"
}

# --- a trace ----------------------------------------------------------------------------------------------------------
"$build/uniprof-record-sim" -q -F max -n 3000 -o run.upf busy
names=$here/report.syms
start 80x24 "./uniprof-report --top -s $names run.upf"
keys w
# The shares are those of --flat.
as_flat() {
	shows ' all [0-9.]+ m?s' || return
	"$build/uniprof-report" -q --flat -s "$names" run.upf | awk 'NR > 1 && NF { print $1, $NF }' | sort > flat
	awk '$3 ~ /^[a-z\[]/ && $1 ~ /%/ { print $1, $3 }' screen | sort > rows
	cat flat rows
	[ -s flat ] && cmp flat rows
}
ok "the table has the shares of --flat" await as_flat
ok "the head tells samples, what is lost and what they cost" has '[0-9],[0-9]{3} samples . 0 lost . 100\.0% whole' 'vCPUs 0: [0-9]+%'
keys 2
ok "2: the call tree" has '- 0x5030' '      *- *0x3010'
keys Enter
ok "Enter: a branch is closed" has '\+ 0x5030'
keys 3
ok "3: the flame graph" has '^all' '^0x5030' '100\.0% total, 0\.0% self: all'
keys Down Down
ok "a block is selected, and told" has 'self: 0x4020'
keys Enter 1
ok "1: functions again" has 'Function  \(by Self\)'
keys s
ok "s: by another column" has 'Function  \(by Total\)'
keys Enter
ok "Enter: callers, the function, callees" has 'callers, itself, callees' '\* '
keys BSpace / m a i n Enter n
ok "a search finds" has 'main'
keys / '(' Enter
ok "a search that is no regular expression is refused in one line" has 'arenthes|Unmatched'
keys h
ok "h: help" has 'callers and callees'
keys q
ok "q: the terminal is as it was" left 0

# --- a guest ----------------------------------------------------------------------------------------------------------
for size in 80x24 40x12 160x50; do
	start $size "./uniprof-top -F 1k -s $names busy"
	ok "$size: a guest, live" has 'busy .* 1000 Hz' 'main$'
	ok "$size: no line is wider" fits "${size%x*}"
	keys 3
	ok "$size: the flame graph" has '^all'
	ok "$size: no line is wider" fits "${size%x*}"
	keys q
	ok "$size: q ends both" left 0
done
# As root's, the viewer is another user's, has opened what only root may open, and can do no harm.
filtered=$(grep -q ^Seccomp: /proc/self/status && echo "2 ")
harmless() {
	sed -n 's/^\(Uid\|CapPrm\|CapEff\|CapAmb\|NoNewPrivs\|Seccomp\):\t//p' "/proc/$(mine "$viewers")/status" | tr '\t\n' '  ' |
		tee seen
	[ "$(cat seen)" = "$1 $1 $1 $1 0000000000000000 0000000000000000 0000000000000000 1 $filtered" ]
}
if [ "$(id -u)" = 0 ]; then
	mkdir -m 700 private
	install -m 600 "$names" private/names
	start 80x24 "env -u SUDO_UID -u DOAS_USER ./uniprof-top -F 1k -s private/names busy"
	ok "root's files have the names" has 'busy .* 1000 Hz' 'main$'
	ok "the viewer is nobody's, and confined" await harmless "$(id -u nobody)"
	keys q
	ok "it ends as any other" left 0
fi
start 19x5 "./uniprof-top -F 1k busy"
ok "a terminal that is too small says so" has '^too small$'
terminals resize-window -x 90 -y 20
ok "and shows all once it is larger" has 'busy .* 1000 Hz' 'Function  \(by Self\)'
keys f
samples() {
	screen > /dev/null
	sed -n 's/^ *\([0-9,]*\) samples .*/\1/p' screen | tr -d ,
}
more_than() { # COUNT: samples have come
	[ "$(samples)" -gt "$1" ]
}
frozen() {
	has 'frozen' && sed -n '5,$p' screen > rows.1 && await more_than $(($(samples) + 2500)) &&
		sed -n '5,$p' screen | cmp rows.1 -
}
ok "f: what is shown stands still, while samples go on coming" frozen
keys C-c
ok "Ctrl-C ends both" left 0
plain=1
start 80x24 "./uniprof-top -F 1k busy"
keys 3
ok "without colour, blocks have edges" has '^\[all *\]$'
plain=
keys q
ok "and q ends it" left 0
start 80x24 "./uniprof-top -d 1 busy"
ok "a recording that is over stays on the screen" has ' ended'
keys q
ok "until q" left 0
for signal in KILL SEGV; do
	start 80x24 "./uniprof-top -F 1k busy"
	has 'busy .* 1000 Hz' > /dev/null
	send $signal "$viewers"
	ok "the viewer's end by SIG$signal: the terminal is as it was" left 5
	ok "and a line says it" grep -q "uniprof-report: ended by signal" errors
done
for signal in HUP TERM; do
	start 80x24 "./uniprof-top -F 1k busy"
	has 'busy .* 1000 Hz' > /dev/null
	send $signal "$recorders"
	ok "SIG$signal ends all, and the terminal is as it was" left 0
done
start 80x24 "./uniprof-top -F 1k busy"
has 'busy .* 1000 Hz' > /dev/null
send KILL "$recorders"
ok "so it is when all of the recorder is killed" left 137
# As ssh -t, docker exec and xterm -e start it: of a terminal that goes away, only its session's leader is told.
((++started))
terminals new-session -d -x 80 -y 24 -e LANG=C.UTF-8 "cd $tmp; exec ./uniprof-top -F 1k busy 2> errors"
has 'busy .* 1000 Hz' > /dev/null
terminals kill-server
ok "a recorder that leads its session ends with the terminal, and so does the viewer" await gone
start 80x24 "./uniprof-top nobody"
ok "no such guest: one line" left 4
ok "which says so" grep -q 'no such domain' errors

# --- misuse -----------------------------------------------------------------------------------------------------------
says() { # STATUS TEXT COMMAND...
	"${@:3}" > said 2>&1 < /dev/null
	[ $? = "$1" ] && cat said && [ "$(wc -l < said)" = 1 ] && grep -qF -- "$2" said
}
ok "no terminal: refused" says 2 "standard output must be a terminal" ./uniprof-top busy
ok "... by the report, too" says 2 "standard output must be a terminal" ./uniprof-report --top run.upf
ok "-M has nowhere to print to" says 2 "not with --missed-deadlines" ./uniprof-top -M busy
ok "-o is for traces" says 2 "--top writes no trace" ./uniprof-top -o x.upf busy
ok "-s is for who shows" says 2 "-s is for --top and --dump" "$build/uniprof-record-sim" -s "$names" -o x.upf busy
done_testing
