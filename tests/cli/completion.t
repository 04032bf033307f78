#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Completion, as users of bash and zsh see it: in their shells, in a terminal.
set -u
# shellcheck source=tests/cli/tap.sh
. "$(dirname "$0")/tap.sh"
cd "$tmp" || exit
mkdir bin traces images
cp "$build/uniprof-record-sim" bin/uniprof-record
cp "$build/uniprof-report" bin/
ln -s uniprof-record bin/uniprof-top
touch traces/one.upf traces/two.txt images/web.elf

made() { # SHELL
	bin/uniprof-record --completion "$1" > "record.$1" && bin/uniprof-report --completion "$1" > "report.$1" &&
		"$1" -n "record.$1" && "$1" -n "report.$1"
}
# Every option of --help but the short ones is in it.
has_all() { # SHELL
	local program

	for program in record report; do
		"bin/uniprof-$program" --help | perl -ne 'print "$1\n" if /^ +(?:-\w, )? *(--[a-z][\w-]*)/' | grep -vxFf <(grep -oE -e '--[a-z][a-z-]*' "$program.$1")
	done
}
none_missing() {
	has_all "$1" | tee missing
	[ ! -s missing ]
}
unknown() {
	bin/uniprof-record --completion fish 2> err
	[ $? = 2 ] && grep -qx 'uniprof-record: --completion fish: bash and zsh are known' err
}
# A server for each shell: one that is about to end may still be found.
shell=
terminals() {
	tmux -u -S "$tmp/terminal.$shell" -f /dev/null "$@"
}
trap 'terminals kill-server 2> /dev/null; rm -rf "$tmp"' EXIT
begin() { # SHELL COMMAND
	terminals kill-server 2> /dev/null
	shell=$1
	terminals new-session -d -x 120 -y 30 -e LANG=C.UTF-8 -e HOME="$tmp" "$2"
	terminals send-keys "PATH=$tmp/bin:\$PATH; PS1='$ '; $3" Enter
	await '^\$ *$'
}
# What is typed is dropped, by a key that waits its turn while the shell completes; then there is nothing but a prompt.
clear_screen() {
	terminals send-keys C-u clear Enter
	await '^\$ *$' '[^$ ]'
}
await() { # REGEX [REGEX]: lines like the first, none like the second
	local try

	for ((try = 0; try < 300; try++)); do
		terminals capture-pane -p > screen
		grep -qE -- "$1" screen && { [ -z "${2-}" ] || ! grep -qE -- "$2" screen; } && return
		sleep 0.1
	done
	cat screen
	return 1
}
# completes TEXT REGEX: after this and Tab, twice, it is on the screen.
completes() {
	clear_screen || return
	terminals send-keys "$1" Tab Tab
	await "$2"
}

ok "bash: printed, and bash reads it" made bash
ok "bash: all options are in it" none_missing bash
ok "another shell: one line" unknown
if command -v tmux > /dev/null; then
	begin bash 'bash --norc' '. ./record.bash; . ./report.bash'
	ok "bash: an option" completes 'uniprof-record --realt' '^\$ uniprof-record --realtime'
	ok "bash: a guest" completes 'uniprof-record -d 1 fram' '^\$ uniprof-record -d 1 frameless'
	ok "bash: uniprof-top's" completes 'uniprof-top fram' '^\$ uniprof-top frameless'
	ok "bash: a binary" completes 'uniprof-record --image images/w' 'images/web.elf'
	ok "bash: a view" completes 'uniprof-report --flameg' '^\$ uniprof-report --flamegraph'
	ok "bash: a trace" completes 'uniprof-report traces/' '^\$ uniprof-report traces/one.upf'
else
	ok "# SKIP no tmux here" true
fi
if command -v zsh tmux > found && [ "$(wc -l < found)" = 2 ]; then
	ok "zsh: printed, and zsh reads it" made zsh
	ok "zsh: all options are in it" none_missing zsh
	mkdir functions && cp record.zsh functions/_uniprof-record && cp report.zsh functions/_uniprof-report
	begin zsh 'zsh -f' "fpath=($tmp/functions \$fpath); autoload -Uz compinit; compinit -D -u"
	ok "zsh: an option" completes 'uniprof-record --realt' '^\$ uniprof-record --realtime'
	ok "zsh: a guest" completes 'uniprof-record -d 1 fram' '^\$ uniprof-record -d 1 frameless'
	ok "zsh: uniprof-top's" completes 'uniprof-top fram' '^\$ uniprof-top frameless'
	ok "zsh: a binary" completes 'uniprof-record --image images/w' 'images/web.elf'
	ok "zsh: a view" completes 'uniprof-report --flameg' '^\$ uniprof-report --flamegraph'
	ok "zsh: a trace" completes 'uniprof-report traces/' '^\$ uniprof-report traces/one.upf'
else
	ok "# SKIP no zsh or no tmux here" true
fi
done_testing
