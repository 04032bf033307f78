#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Completion, as bash and zsh do it.
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
# These lines are completed by the shell's own function, which gives these matches, without folders.
lines=('uniprof-record --realt' 'uniprof-record -d 1 fram' 'uniprof-top fram' 'uniprof-record --image images/w'
	'uniprof-report --flameg' 'uniprof-report traces/')
matches=(--realtime frameless frameless web.elf --flamegraph one.upf)

# bash calls the function with the words in variables. compopt is for a real command line only.
cat > complete.bash << 'END'
. ./record.bash
. ./report.bash
compopt() { :; }
for line; do
	read -ra COMP_WORDS <<< "$line"
	COMP_CWORD=$((${#COMP_WORDS[@]} - 1)) COMPREPLY=()
	"$(complete -p "${COMP_WORDS[0]}" | sed 's/.* -F \([^ ]*\).*/\1/')"
	echo "$line:" "${COMPREPLY[@]##*/}"
done
END
# zsh completes in its line editor alone: one in a pseudo-terminal, where Tab completes and then makes the file "done".
cat > complete.zsh << 'END'
zmodload zsh/zpty
zpty shell zsh -f -i
made() {
	until [[ -e $1 ]]; do zpty -rt shell output || sleep 0.01; done
	rm $1
}
zpty -w shell . ./init.zsh
made ready
for line; do
	: > added
	zpty -wn shell $'\C-u'$line$'\t'
	made done
	print -r -- $line: ${(f)"$(sort -u added)"}
done
END
cat > init.zsh << 'END'
fpath=(./functions $fpath)
autoload -Uz compinit
compinit -D -u
compadd() {
	local -a words
	[[ " $* " == *' -'[AOD]' '* ]] || { builtin compadd -A words "$@"; print -rl -- ${words##*/} >> added; }
	builtin compadd "$@"
}
complete_line() {
	zle complete-word
	: > done
}
zle -N complete_line
bindkey '^I' complete_line
zle-line-init() { : > ready; }
zle -N zle-line-init
END
completed() { # SHELL ARGUMENT...
	HOME=$tmp PATH=$tmp/bin:$PATH "$@" "complete.$1" "${lines[@]}" > completed 2>&1 < /dev/null
	paste -d' ' <(printf '%s:\n' "${lines[@]}") <(printf '%s\n' "${matches[@]}") | diff - completed
}

ok "bash: printed, and bash reads it" made bash
ok "bash: all options are in it" none_missing bash
ok "bash: an option, guests, a binary, a view, a trace" completed bash --norc
ok "another shell: one line" unknown
if command -v zsh > found; then
	ok "zsh: printed, and zsh reads it" made zsh
	ok "zsh: all options are in it" none_missing zsh
	mkdir functions && cp record.zsh functions/_uniprof-record && cp report.zsh functions/_uniprof-report
	ok "zsh: an option, guests, a binary, a view, a trace" completed zsh -f
else
	ok "# SKIP no zsh here" true
fi
done_testing
