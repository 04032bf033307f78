#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Tables: --sort, --children, --bottom-up, --by, --peek, --annotate, --diff; colour, pager and widths of a terminal.
set -u
# shellcheck source=tests/cli/tap.sh
. "$(dirname "$0")/tap.sh"

for kind in small domains empty idle spaces; do
	"$mktrace" $kind >"$tmp/$kind.upf" || { echo "Bail out! mktrace $kind"; exit 1; }
done

# --- lines, and their order
same sort-vcpu 0 "$report" -q --sort vcpu,state --state all -s syms small.upf
same sort-sym-vcpu 0 "$report" -q --sort sym,vcpu --state all -s syms small.upf
same sort-dom 0 "$report" -q --sort dom,image -s syms domains.upf
same sort-time 0 "$report" -q --sort time --time-quantum 50ms -s syms small.upf
same sort-time-sym 0 "$report" -q --sort time,sym --time-quantum 50ms -s syms small.upf
echo '0 0 100 1010' | "$mktrace" counted >"$tmp/second.upf"
same sort-time-quarters 0 "$report" -q --sort time --time-quantum 250ms second.upf
same sort-time-csv 0 "$report" -q --csv --sort time --time-quantum 25ms -s syms small.upf
same sort-line 0 "$report" -q --sort line -s syms small.upf
same children 0 "$report" -q --children -s syms small.upf
same no-children 0 "$report" -q --no-children -s syms small.upf
same by-vcpu 0 "$report" -q --by vcpu --state all -s syms small.upf
same by-vcpu-tree 0 "$report" -q --tree --by vcpu --state all -s syms domains.upf
same by-space 0 "$report" -q --by space -s syms spaces.upf
same by-space-tree 0 "$report" -q --tree --by space -s syms spaces.upf
same by-space-folded 0 "$report" -q --folded --by space --weight cpu -s syms spaces.upf
same by-space-bottom-up 0 "$report" -q --tree --bottom-up --by space -s syms spaces.upf
same by-space-diff 0 "$report" -q --by space -s syms --diff spaces.upf spaces.upf
same sort-space 0 "$report" -q --sort space,state -s syms spaces.upf
same spaces-together 0 "$report" -q --tree -s syms spaces.upf
same by-domain 0 "$report" -q --by domain -s syms domains.upf
same by-domain-folded 0 "$report" -q --folded --by domain -s syms small.upf
(cd "$tmp" && "$report" -q --by vcpu -s syms --diff domains.upf small.upf) | head -n 1 | grep -q 'Domain *vCPU'
ok $? 'domains are told apart if the old run alone has several'
same bottom-up 0 "$report" -q --tree --bottom-up -s syms small.upf
same bottom-up-folded 0 "$report" -q --folded --bottom-up -s syms small.upf
same tree-limit 0 "$report" -q --tree --percent-limit 20 -s syms small.upf

# --- one function
same peek 0 "$report" -q --peek '^(work|leaf)$' -s syms small.upf
same peek-recursive-old-root 0 "$report" -q --peek '^main$' -s syms small.upf
same peek-limit 0 "$report" -q --peek '^work$' --percent-limit 40 -s syms small.upf
same annotate-addresses 0 "$report" -q --annotate '^(work|leaf)$' -s syms small.upf

# At these addresses: f, f's caller g behind its call, g itself.
cat >"$tmp/code.s" <<'END'
	.globl	_start, f, g
	.type	f, @function
f:	mov	%rdi, %rax
	imul	%rax, %rax
	.rept	20
	nop
	.endr
	ret
	.size	f, . - f
	.type	g, @function
g:	push	%rbx
	call	f
	pop	%rbx
	ret
	.size	g, . - g
	.type	_start, @function
_start:	call	g
	jmp	_start
	.size	_start, . - _start
END
(cd "$tmp" && gcc -nostdlib -static -Wl,-Ttext=0x401000,--build-id=none -o code code.s) || echo 'Bail out! no compiler'
"$mktrace" counted >"$tmp/code.upf" <<'END'
0 0 60 401003 401022 401029
0 0 20 40101b 401022 401029
0 0 15 401022 401029
0 0 5 401024
END
same annotate-code 0 "$report" -q --annotate '^[fg]$' -s code code.upf
same annotate-code-limit 0 "$report" -q --annotate . --percent-limit 99 -s code code.upf
(cd "$tmp" && cmp -s <("$report" -q --list '^[fg]$' -s code code.upf) <("$report" -q --annotate '^[fg]$' -s code code.upf))
ok $? '--list, as it was called before, is --annotate'
! "$report" --help | grep -qe '--list'
ok $? 'and --help is silent about it'

# Source from elsewhere, written before the run; a line of it is not for terminals, and some are not in the file. Ten samples
# a line, at its first instruction.
{ printf 'static int n;\n\nvoid f(void)\n{\n\tn++; /* \033[31mred */\n#line 400\n\tn--;\n#line 7\n}\n'
	seq -f '/* %g */' 8 30; printf 'void g(void)\n{\n\tf();\n#line 900\n\tf();\n}\n'; seq -f '/* %g */' 35 60; } >"$tmp/code.c"
touch -d 2020-01-01 "$tmp/code.c"
(cd "$tmp" && gcc -g -O0 -c -o code.o "-ffile-prefix-map=$(pwd -P)=/nowhere/src" code.c && ld -e f -o source code.o) || echo 'Bail out! no compiler'
objdump -d "$tmp/source" | sed -n 's/^ *\([0-9a-f]*\):.*/\1/p' | addr2line -a -e "$tmp/source" | paste - - |
	awk '!seen[$2]++ { print "0 0 10", $1 }' | "$mktrace" counted >"$tmp/source.upf"
same annotate-source 0 "$report" -q --annotate '^[fg]$' --source-path . -s source source.upf
same sort-source 0 "$report" -q --sort sym,line -s source source.upf
(cd "$tmp" && "$report" -q --annotate '^f$' -s source source.upf) | grep -q 'Instruction'
ok $? 'instructions where the source is not here'
touch "$tmp/code.c"
(cd "$tmp" && "$report" -q --annotate '^f$' --source-path . -s source source.upf) | grep -q 'changed since'
ok $? 'source that has changed'
rm "$tmp/code.c"; mkfifo "$tmp/code.c"
(cd "$tmp" && "$report" -q --annotate '^f$' --source-path . -s source source.upf) | grep -q 'Instruction'
ok $? 'a pipe is no source'

# Whole functions, whichever lines samples were in; nothing of what stands beside them. twice() is inlined.
cat >"$tmp/whole.c" <<'END'
int n;

static inline __attribute__((always_inline)) void
twice(int by)
{
	n *= by;

	/* and once more */
	n *= by;
}

/* whole: the compiler leaves nothing of its first lines */
void whole(int first)
{
	int k = first;

	for (k = 0; k < 10; k++)
		n += k;

	twice(n);
	if (n > 100)
		n = 0;
	/* the end */
}
void next(void)
{
	n++;
}
END
touch -d 2020-01-01 "$tmp/whole.c"
(cd "$tmp" && gcc -g -O1 "-ffile-prefix-map=$(pwd -P)=/nowhere/src" -c -o whole.o whole.c && ld -e whole -o whole whole.o) ||
	echo 'Bail out! no compiler'
of_line() {
	objdump -d "$tmp/whole" | sed -n 's/^ *\([0-9a-f]*\):.*/\1/p' | addr2line -a -e "$tmp/whole" | paste - - |
		sed -n "s/^\(0x[0-9a-f]*\).*:$1\( .*\)*$/\1/p" | head -1
}
printf '0 0 10 %s\n0 0 5 %s\n' "$(of_line 18)" "$(of_line 9)" | "$mktrace" counted >"$tmp/whole.upf"
same annotate-whole 0 "$report" -q --annotate . --source-path . -s whole whole.upf
(cd "$tmp" && "$report" --archive -o whole.full.upf -s whole whole.upf && mv whole whole.away &&
	"$report" -q --annotate . --source-path . whole.full.upf) | cmp -s - "$expected/annotate-whole"
ok $? 'the same from an archive'

# --- two runs: hot has become twice as dear, cold is gone, warm is new; the second run is twice as long
cat >"$tmp/diff.syms" <<'END'
1000 T main
2000 T hot
3000 T cold
4000 T warm
5000 T same
END
for ((i = 0; i < 10; i++)); do # no phases: those would be noise
	printf '0 0 2 2010 1010\n0 0 1 3010 1010\n0 0 7 5010 1010\n'
done | "$mktrace" counted >"$tmp/old.upf"
for ((i = 0; i < 20; i++)); do
	printf '0 0 4 2010 1010\n0 0 1 %d010 1010\n0 0 5 5010 1010\n' $((i % 10 ? 5 : 4))
done | "$mktrace" counted >"$tmp/new.upf"
same diff 0 "$report" --diff old.upf -s diff.syms new.upf
same diff-tree 0 "$report" -q --tree --diff old.upf -s diff.syms new.upf
same diff-folded 0 "$report" -q --folded --diff old.upf -s diff.syms new.upf
same diff-sort 0 "$report" -q --sort vcpu,sym --diff old.upf -s diff.syms new.upf
same diff-limit 0 "$report" -q --percent-limit 5 --diff old.upf -s diff.syms new.upf
same diff-cpu 0 "$report" -q --weight cpu --diff old.upf -s diff.syms new.upf
same diff-gone 0 "$report" -q --focus cold --diff old.upf -s diff.syms new.upf
# Without colours, what may be chance has a mark; with them it is dim.
[ "$(grep -c '[0-9]  ~' "$expected/diff")" -eq 5 ] && grep -q '^ 20.0%  40.0%  +20.00 .*[0-9]  *hot$' "$expected/diff"
ok $? 'what may be chance is marked'
(cd "$tmp" && "$report" -q --color always --diff old.upf -s diff.syms new.upf) >"$tmp/dim"
grep -q $'\033\\[31m +20.00' "$tmp/dim" && grep -q $'\033\\[2m  +1.00' "$tmp/dim" && ! grep -q $'\033\\[3.m.*~' "$tmp/dim"
ok $? '… and dim, without colours'
fails 'an empty new run' 5 'empty.upf: nothing to compare' "$report" --diff old.upf -s diff.syms empty.upf
fails 'an empty new run, as a page' 5 'nothing to compare' "$report" --flamegraph -o none.html --diff old.upf -s diff.syms empty.upf
[ ! -e "$tmp/none.html" ]
ok $? '… and there is no page'
# Several old traces are one run: of a minute's two parts, the same as of it all.
"$mktrace" small >"$tmp/small.upf" && "$mktrace" later >"$tmp/later.upf" && "$mktrace" domains >"$tmp/domains.upf"
(cd "$tmp" && "$report" -q --csv -s syms --diff small.upf --diff later.upf domains.upf) | tr -d '"' |
	awk -F, '$1 == "work" { exit !($2 == 3 && $8 == 7 + 3) }'
ok $? 'several old traces are one run'
(cd "$tmp" && "$report" -q --csv -s syms --diff domains.upf small.upf later.upf) | tr -d '"' | awk -F, '$1 == "work" { exit !($2 == 7 + 3 && $8 == 3) }'
ok $? 'so are several new ones'
fails 'an old trace that is not there, of several' 1 'nowhere.upf: No such file' "$report" --diff old.upf --diff nowhere.upf new.upf
fails 'nothing of either run' 5 'none of its 200 samples passes the filters' "$report" --focus nowhere --diff old.upf -s diff.syms new.upf
same diff-empty 0 "$report" -q --diff empty.upf -s diff.syms new.upf
sed 's/^5000/5010/' "$tmp/diff.syms" >"$tmp/old.syms"
same diff-symbols 0 "$report" -q --diff old.upf --diff-symbols old.syms -s diff.syms new.upf
[ -z "$("$report" -q --folded --diff "$tmp/new.upf" -s "$tmp/diff.syms" "$tmp/new.upf" | awk '$(NF - 1) != $NF')" ]
ok $? 'a run compared with itself'
cmp <("$report" -q --folded -s "$tmp/diff.syms" "$tmp/new.upf" | sort) \
	<("$report" -q --folded --diff "$tmp/old.upf" -s "$tmp/diff.syms" "$tmp/new.upf" | sed 's/ [0-9]* \([0-9]*\)$/ \1/' | grep -v ' 0$' | sort)
ok $? 'the new column is what the run alone has'

# --- addresses without a name
(cd "$tmp" && "$report" -q small.upf | awk 'NR > 1') | grep -qxE '100\.0% +15 +100\.0% +15  \[unknown\]'
ok $? 'no names at all: one row'
same sort-address 0 "$report" -q --sort address,sym -s syms small.upf
(cd "$tmp" && "$report" -q --csv --sort address small.upf | tr -d '\r' | awk -F, 'NR > 1 { sum += $2 } END { exit sum != 15 || NR != 11 }')
ok $? 'as comma-separated values, each address'
(cd "$tmp" && "$report" -q --sort sym,state --state all small.upf | grep -c '\[unknown\]') | grep -qx 2
ok $? 'a row for each of the other keys'
(cd "$tmp" && "$report" -q --sort line small.upf | awk 'NR > 1') | grep -qxE '100\.0% +15 +100\.0% +15  \[no line\] \[unknown\]'
ok $? '... and of lines, one'
(cd "$tmp" && "$report" -q --diff small.upf small.upf | awk 'NR > 1') | grep -q '^100.0% 100.0%   +0.00 .*\[unknown\]$'
ok $? '... of two runs, one'
for view in tree folded 'peek 0x'; do
	# shellcheck disable=SC2086
	(cd "$tmp" && "$report" -q --$view small.upf) | grep -q '0x1010'
	ok $? "--${view% *} has addresses: they tell callers apart"
done

# --- terminals
same color 0 "$report" -q --color always -s syms small.upf
(cd "$tmp" && NO_COLOR=1 script -qec "$report -q --no-pager -s syms small.upf" /dev/null) | tr -d '\r' >"$tmp/no-color"
(cd "$tmp" && "$report" -q -s syms small.upf) | cmp - "$tmp/no-color"
ok $? 'NO_COLOR'
# shellcheck disable=SC2016
(cd "$tmp" && TERM=xterm PAGER='sed s/^/paged:/' script -qec "$report -q --color never -s syms small.upf" /dev/null) | grep -q '^paged:'
ok $? 'a pager on a terminal'
for pager in no-such-pager ./no-such-pager; do
	(cd "$tmp" && TERM=xterm PAGER="$pager -x" script -qec "$report -q --color never -s syms small.upf; echo code \$?" /dev/null) | tr -d '\r' >"$tmp/paged"
	grep -qx "uniprof-report: PAGER: $pager -x: not found; shown without a pager" "$tmp/paged" && grep -q 'leaf$' "$tmp/paged" &&
		grep -q '^code 0' "$tmp/paged"
	ok $? "$pager is no pager: shown without"
done
(cd "$tmp" && TERM=xterm PAGER='exec sed s/^/paged:/' script -qec "$report -q --color never -s syms small.upf" /dev/null) | grep -q '^paged:'
ok $? 'a pager that the shell finds'
(cd "$tmp" && unset PAGER && script -qec "PATH=/nowhere $report -q --color never -s syms small.upf" /dev/null) | tr -d '\r' | cmp - "$tmp/no-color"
ok $? 'no less, and none asked for'
(cd "$tmp" && TERM=xterm PAGER='head -1' script -qec "$report -s syms small.upf; echo code \$?" /dev/null) | grep -q '^code 0'
ok $? 'a pager that is left early'
# shellcheck disable=SC2016
(cd "$tmp" && TERM=xterm PAGER='cat >/dev/null; kill -INT $PPID; echo waited' \
	script -qec "$report -s syms small.upf; echo code \$?" /dev/null) | tr -d '\r' | paste -sd' ' | grep -q 'waited code 0'
ok $? 'Ctrl-C in a pager is its own'
(cd "$tmp" && TERM=xterm PAGER='cat >/dev/null; sleep 0.3; echo waited' \
	script -qec "$report --last -s syms small.upf; echo code \$?" /dev/null) | tr -d '\r' | paste -sd' ' | grep -q 'waited code 0'
ok $? 'a view that is confined waits for its pager'
# less with the user's own options, none of which shows colours.
mkfifo "$tmp/keys"
for options in -i i '-M -S'; do
	rm -f "$tmp/less"
	{ await grep -qs leaf "$tmp/less" && while echo q; do sleep 0.1; done; } >"$tmp/keys" 2>&1 &
	(cd "$tmp" && unset PAGER && TERM=xterm LESS="$options" \
		script -qec "$report -q --color always -s syms small.upf" /dev/null <keys) >"$tmp/less"
	wait
	grep -q 'leaf' "$tmp/less" && grep -q $'\e\[3[12]m' "$tmp/less" && ! grep -q 'ESC' "$tmp/less"
	ok $? "LESS='$options': colours, no escape codes as text"
done
for view in flamegraph heatmap svg; do
	(cd "$tmp" && script -qec "stty cols 200; $report --$view -s syms small.upf; echo code \$?" /dev/null) | tr -d '\r' >"$tmp/shown"
	[ "$(wc -l <"$tmp/shown")" -eq 2 ] && grep -q '^code 2' "$tmp/shown" &&
		grep -q "^uniprof-report: --$view writes a file for other programs, .*: give -o FILE" "$tmp/shown"
	ok $? "--$view is not shown on a terminal"
	"$report" -q --$view -s "$tmp/syms" "$tmp/small.upf" 2>/dev/null | head -c 1 | grep -q .
	ok $? '... but goes into a pipe'
done
# A clock of which each look takes LOOK ms.
cat >"$tmp/clock.c" <<'END'
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t clock, struct timespec *t)
{
	static long ms;

	if (clock != CLOCK_MONOTONIC_COARSE)
		return (int)syscall(SYS_clock_gettime, clock, t);
	ms += atol(getenv("LOOK"));
	*t = (struct timespec){ms / 1000, ms % 1000 * 1000000};
	return 0;
}
END
gcc -shared -fPIC -o "$tmp/clock.so" "$tmp/clock.c" || echo 'Bail out! no compiler'
# shellcheck disable=SC2002
slow() { # MS TRACES: what reading them, and small.upf on standard input, shows on a terminal
	(cd "$tmp" && script -qec "cat small.upf | LD_PRELOAD=./clock.so LOOK=$1 $report -q --no-pager -o slow.txt $2" \
		/dev/null) | tr '\r' '\n' >"$tmp/shown"
}
slow 100 small.upf
[ ! -s "$tmp/shown" ]
ok $? 'work of less than a second tells nothing'
slow 100 "$(printf 'small.upf %.0s' {1..60})"
grep -q 'reading [1-5][0-9] of 60: small\.upf: ' "$tmp/shown"
ok $? 'long work tells how far it is, also of files that take less than a second each'
slow 1000 -
grep -q 'reading standard input: [0-9.]* MB' "$tmp/shown"
ok $? '... and of standard input'
[ "$(tail -n 1 "$tmp/shown")" = $'\e[K' ]
ok $? '... and is removed at the end'
# shellcheck disable=SC2002
(cd "$tmp" && cat small.upf | LD_PRELOAD=./clock.so LOOK=1000 "$report" -q - 2>&1 >/dev/null) | cmp - /dev/null
ok $? 'but not to a file'
sed 's/leaf/a_name_that_is_much_longer_than_any_column_of_a_terminal_that_is_narrow/' "$tmp/syms" >"$tmp/long.syms"
# Of names, as much is there as tells them apart: where columns are few, there are shares without weights.
for columns in 40 60; do
	views=(flat tree 'tree --bottom-up' 'peek .' 'sort sym,dom' 'sort image,line,sym' 'sort sym,state --diff small.upf' 'tree --diff small.upf')
	(cd "$tmp" && for view in "${views[@]}" 'list .'; do
		[ "$columns $view" = '40 list .' ] ||
			LC_ALL=C script -qec "stty cols $columns; $report --no-pager --color never -q --$view -s long.syms small.upf" /dev/null
	done) | tr -d '\r' | awk -v most="$columns" 'length > most { print "# " $0; bad = 1 } /a_name_that/ { n++ } END { exit bad || n < 7 }'
	ok $? "lines fit a terminal of $columns columns"
done
same narrow 0 bash -c "script -qec 'stty cols 40; $report --no-pager --color never -q -s long.syms small.upf' /dev/null | tr -d '\\r'"
same narrow-diff 0 bash -c "script -qec 'stty cols 40; $report --no-pager --color never -q -s long.syms --diff small.upf domains.upf' /dev/null | tr -d '\\r'"
same narrow-tree 0 bash -c "script -qec 'stty cols 40; $report --no-pager --color never -q --tree -s long.syms small.upf' /dev/null | tr -d '\\r'"
# Notes and messages: no word is broken, and no line is longer than the terminal is wide, but one of a single word.
words() { # COLUMNS COMMAND
	(cd "$tmp" && script -qec "stty cols $1; $2" /dev/null) | tr -d '\r' >"$tmp/words"
	awk -v width="$1" 'length > width && split($0, all, " ") > 1 { print "# " $0; bad = 1 } END { exit bad || NR < 2 }' "$tmp/words"
}
"$mktrace" linux >"$tmp/linux.upf"
for columns in 60 80; do
	words $columns "$report --no-pager --color never linux.upf"
	ok $? "$columns columns: notes"
	paste -sd' ' "$tmp/words" | tr -s ' ' >"$tmp/joined"
	(cd "$tmp" && "$report" linux.upf) | paste -sd' ' | tr -s ' ' | sed 's/ · / /g' | cmp - <(sed 's/ · / /g' "$tmp/joined")
	ok $? '... the same words'
	words $columns "$report --no-pager --folded linux.upf >folded"
	ok $? '... of a view whose output is data'
	words $columns "$report --sort sym,dso small.upf"
	ok $? '... a message'
	words $columns "$report --no-pager --color never --state offline small.upf; $report --no-pager --color never idle.upf"
	ok $? '... why there is nothing'
done
words 80 "$report --help"
ok $? 'help fits into 80 columns'

# --- what goes wrong: one line
fails 'no such key' 2 'sym, address, dom, vcpu, space, image, line, state and time' "$report" --sort sym,dso small.upf
fails 'a key twice' 2 'once at most' "$report" --sort sym,sym small.upf
fails '--sort of a tree' 2 '--sort cannot be used with --tree' "$report" --tree --sort sym small.upf
fails '--children, folded' 2 '--children cannot be used with --folded' "$report" --folded --children small.upf
fails '--bottom-up, flat' 2 '--bottom-up cannot be used with --flat' "$report" --bottom-up small.upf
fails '--diff with one that compares nothing' 2 '--diff cannot be used with --header' "$report" --header --diff old.upf small.upf
fails '--diff as a picture' 2 '--diff cannot be used with --svg' "$report" --svg --diff old.upf small.upf
for view in 'annotate .' stacks dump registers header verify pprof firefox speedscope callgrind perf-script json; do
	# shellcheck disable=SC2086
	fails "--by with --${view% .}" 2 "--by cannot be used with --${view% .}" "$report" --by space --$view spaces.upf
done
for view in flat tree 'peek main' folded csv flamegraph svg heatmap; do
	# shellcheck disable=SC2086
	(cd "$tmp" && "$report" --by space -q -s syms --$view spaces.upf) | grep -q 0x7a000
	ok $? "--by with --${view% *}"
done
fails '--time-quantum without times' 2 '--time-quantum cannot be used without --sort time' "$report" --time-quantum 1s --sort sym small.upf
fails '--time-quantum of a tree' 2 '--time-quantum cannot be used with --tree' "$report" --tree --time-quantum 1s small.upf
fails '--children without functions' 2 '--children cannot be used without the key sym, address or line' "$report" --sort image --children small.upf
fails 'nothing like it' 5 'no function in it matches --peek nowhere' "$report" --peek nowhere -s syms small.upf
fails 'nothing like it to list' 5 'no function in it matches --annotate nowhere' "$report" --annotate nowhere -s syms small.upf
fails 'a wrong expression' 2 '--peek (: not a regular expression: ' "$report" --peek '(' small.upf
fails 'no expression' 2 'a regular expression is needed' "$report" --annotate '' small.upf
fails 'no old trace' 1 'nowhere.upf: No such file' "$report" --diff nowhere.upf small.upf
fails 'an old trace that is none' 3 'syms: it is not a uniprof trace' "$report" --diff syms small.upf
head -c -5 "$tmp/old.upf" >"$tmp/cut.upf"
fails 'a damaged old trace' 4 'cut.upf: incomplete' "$report" -q -o out.txt --diff cut.upf new.upf
fails 'the old trace as -o' 2 'the trace itself' "$report" --flat -o old.upf --diff old.upf new.upf
fails 'a colour' 2 'auto, always or never' "$report" --color red small.upf
fails 'no length of time' 2 'a length of time' "$report" --sort time --time-quantum soon small.upf
same peek-empty 0 "$report" --peek . empty.upf
same annotate-idle 0 "$report" --annotate . idle.upf
done_testing
