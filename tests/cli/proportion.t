#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# A small trace takes little time, whatever it says: instructions are counted.
set -u
# shellcheck source=tests/cli/tap.sh
. "$(dirname "$0")/tap.sh"
# $tmp, report and mktrace as seen from there
report=$(realpath "$report")
mktrace=$(realpath "$mktrace")
cd "$tmp" || exit 1
"$mktrace" repeats >repeats.upf
"$mktrace" repeats-apart >apart.upf
needs_valgrind
[ "$(stat -c %s repeats.upf)" -lt 20000 ] && [ "$(stat -c %s apart.upf)" -lt 20000 ]
ok $? 'traces of less than 20 kB'

# quick NAME EXIT COMMAND...: ends with that code, executes $most million instructions at most, which is twice what it
# takes, and has no more than $memory kB of addresses, $data kB of memory of its own and $files descriptors, if given.
quick() {
	local name=$1 want=$2 code
	shift 2
	counted "$@" >out 2>err </dev/null
	code=$?
	if [ $code -eq "$want" ] && [ -n "${memory-}${files-}${data-}" ]; then
		(ulimit -v "${memory:-unlimited}" -n "${files:-256}" -d "${data:-unlimited}" &&
			exec "$@" >out 2>err </dev/null)
		code=$?
	fi
	sed 's/^/# /' err | head -5
	[ $code -eq "$want" ] || echo "# exit status $code, not $want"
	[ $code -eq "$want" ] && [ "$instructions" -le $((${most:-1000} * 1000000)) ]
	ok $? "$name"
	echo "# $instructions instructions"
}

for view in --folded --tree --verify '--csv --state all' '--sort vcpu' --flamegraph --json --pprof --callgrind '--focus leaf' '--vcpu 0-99'; do
	# shellcheck disable=SC2086
	quick "$view" 0 "$report" $view -q -s syms repeats.upf
done
quick --archive 0 "$report" -q --force --archive -s "$report" -o archive.upf repeats.upf
"$report" --folded -q -s syms repeats.upf >folded
count=$(awk '{n += $NF} END {print n}' folded)
[ "$count" -gt 200000000 ] && [ $((count % 4096)) -eq 0 ] && [ "$(awk 'NR == 1 {n = $NF} $NF != n' folded)" = '' ]
ok $? "every repeated sample counts: $count"
"$report" -q --json --weight cpu repeats.upf | grep -q "\"counted\":$count[,}]"
ok $? '… those that used no CPU time, too'
"$report" --verify repeats.upf | grep -q '^OK: '
ok $? 'as many as the footer says'

# Where each one is another cell or row, they are gone through: as far as is in proportion to the file.
for view in '--sort time' --heatmap; do
	# shellcheck disable=SC2086
	most=10000 quick "$view, each in another second than the last one" 1 "$report" $view -q -s syms apart.upf
done
quick 'without --sort time' 0 "$report" -q -s syms apart.upf
quick 'a part of it' 0 "$report" --dump -q --time 0,0.1 -s syms repeats.upf

# --- many traces: more than can be open at a time, each with a header and blocks of its own, archives too
"$mktrace" domains >many.upf
"$report" -q --force --archive -s "$report" -o many.whole many.upf
for i in {1..1100}; do
	ln many.upf "many$i.upf" && ln many.whole "many$i.whole"
done
for view in --folded --verify --header --dump; do
	memory=1000000 files=64 quick "1100 traces, 64 descriptors: $view" 0 "$report" "$view" -q many*.upf
	memory=1000000 files=64 quick "1100 archives: $view" 0 "$report" "$view" -q many*.whole
done
[ "$(grep -c '^end ' out)" -eq 1101 ]
ok $? 'all are read to their ends'
rm many*

# --- many guests with one kernel, which each of them has elsewhere: its names are in memory once
awk 'BEGIN {
	print ".globl _text, asm_exc_divide_error, last; .text; _text: asm_exc_divide_error: ret"
	for (i = 0; i < 60000; i++)
		printf ".type one_of_its_functions_%d,@function; one_of_its_functions_%d: nop; ret; .size one_of_its_functions_%d, 2\n", i, i, i
	print ".type last,@function; last: nop; nop; ret; .size last, 3"
}' | as -o kernel.o && ld -Ttext=0xffffffff81000000 -e _text -o kernel kernel.o
text=0x$(nm kernel | awk '$3 == "asm_exc_divide_error" { print $1 }') last=0x$(nm kernel | awk '$3 == "last" { print $1 }')
guests() { # guests COUNT
	for ((i = 0; i < $1; i++)); do echo "guest g$i 3 1"; done
	for ((i = 0; i < $1; i++)); do printf 'of %d\nentry %x\n%x\n' $i $((text + (i << 21))) $((last + (i << 21) + 1)); done
}
for n in 1 60; do
	guests $n | "$mktrace" stacks >guests$n.upf
	data=70000 quick "$n guests with one kernel of 60,000 functions" 0 "$report" --folded -q -s kernel guests$n.upf
	[ "$(grep -cE '^(g[0-9]+;)?last 1$' out)" -eq $n ]
	ok $? '… have its names, wherever they have it'
done
data=70000 quick '… instructions, too' 0 "$report" --annotate last -q -s kernel guests60.upf
[ "$(grep -cE ' 1  *ffffffff[0-9a-f]+  nop$' out)" -eq 60 ]
ok $? '… each its own'
data=90000 quick '… and in an archive' 0 "$report" --force --archive -q -s kernel -o guests.whole guests60.upf
"$report" --folded -q guests.whole >out && [ "$(grep -cE '^g[0-9]+;last 1$' out)" -eq 60 ]
ok $? '… with the same names'

# --- binaries

# Unwind tables whose entries refer to two others by turns, each of which is long: by its augmentation, or by DW_CFA_nop.
as -o frames.o <<'END' && ld -o frames frames.o 2>/dev/null # which understands no such CIE
.globl _start
.type _start, @function
_start: ret
.size _start, 1
.macro cie name, letters, nops
.long \name\()_end - \name
\name: .long 0
.byte 1
.ascii "zR"
.fill \letters, 1, 'S'
.byte 0, 1, 0x78, 16, 1, 0x1b
.fill \nops, 1, 0
.byte 12, 7, 8
\name\()_end:
.endm
.macro fde cie
.long 13
.long . - \cie + 4
.long _start - .
.long 1
.byte 0
.endm
.section .eh_frame, "a"
cie one, 500000, 0
cie two, 0, 500000
.rept 40000
fde one
fde two
.endr
END
"$mktrace" small >small.upf
quick 'unwind tables' 0 "$report" -q --force -s frames small.upf

# A table of one function that is longer than any compiler makes it.
as -o long.o <<'END' && ld -Ttext=0x120000 -o long long.o
.globl _start
.type _start, @function
_start: .fill 65536, 1, 0x90
.size _start, . - _start
.section .debug_frame, ""
cie: .long cie_end - . - 4
.long -1
.byte 1, 0, 1, 0x78, 16, 12, 7, 8, 0x90, 1, 0, 0
cie_end:
.long fde_end - . - 4
.long 0
.quad _start, 65536
.fill 10000000, 1, 0
fde_end:
END
objcopy --compress-debug-sections=zlib long
for ((i = 0; i < 15000; i++)); do
	printf '0x%x 0x8000 0x1 0x2\n' $((0x120000 + i * 4))
done | "$mktrace" copies >copies.upf
quick 'a very long table of a function' 0 "$report" -q --force -s long copies.upf

# A function of i386 that calls sixty thousand others, whose returns, which tell what they take off the stack, are far.
as --32 -o calls.o <<'END' && ld -m elf_i386 -o calls calls.o
.globl _start
.type _start, @function
_start: .cfi_startproc
.set callee, sled
.rept 60000
call callee
.set callee, callee + 1
.endr
ret
.cfi_endproc
.size _start, . - _start
.type sled, @function
sled: .fill 70000, 1, 0x90
ret
.size sled, . - sled
END
most=6000 quick 'a function with many calls' 0 "${mktrace%/*}/rows" calls

# Line tables of many files in one long directory, each of whose names libdw would keep as a whole; and such of a real
# size. The names are in the table itself (DWARF 4), or elsewhere (DWARF 5).
# lines NAME VERSION LENGTH FILES [PATH]: a program at 0x1000 with that line table; PATH: how DW_LNCT_path is written.
lines() {
	local path=${5:-1}

	cat >"$1.s" <<END
.globl _start
.type _start, @function
_start: .fill 4096, 1, 0x90
end:
.size _start, . - _start
.section .debug_abbrev, ""
.byte 1, 0x11, 0, 0x10, 0x17, 0x11, 1, 0x12, 1, 0x1b, 8, 0, 0, 0
.section .debug_info, ""
.long info_end - info
info: .short 4
.long 0
.byte 8, 1
.long 0
.quad _start, end
.asciz "/built"
info_end:
.section .debug_line_str, ""
.fill $3, 1, 'd'
.byte 0
.section .debug_line, ""
.long lines_end - lines
lines: .short $2
.if $2 >= 5
.byte 8, 0
.endif
.long header_end - header
header: .byte 1, 1, 1, 0xfb, 14, 13, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1
.if $2 >= 5
.byte 1 # one directory, by a reference
.uleb128 $path
.byte 0x1f
.byte 2
.long $3 - 6, 0
.byte 2
.uleb128 $path
.byte 0x1f, 2, 0xb # files by a reference, and the directory's number
.uleb128 $4
.rept $4
.long $3 - 1
.byte 1
.endr
.else
.fill $3, 1, 'd'
.byte 0, 0
.rept $4
.asciz "d"
.byte 1, 0, 0
.endr
.byte 0
.endif
header_end: .byte 0, 9, 2
.quad _start
.byte 3, 6, 1 # line 7
.byte 2, 0x80, 0x20, 0, 1, 1
lines_end:
END
	as -o "$1.o" "$1.s" && ld -Ttext=0x1000 -o "$1" "$1.o"
}
has_lines() { # PROGRAM [TRACE]
	"$report" -q --force -s "$1" --callgrind -o - "${2:-small.upf}" | grep -q '^c*f[il]=([0-9]*) /.*ddddd/d$'
}
for version in 4 5; do
	lines long$version $version 500000 5000 && lines real$version $version 100 500
	memory=500000 quick "a line table of DWARF $version" 0 "$report" -q --force -s long$version --callgrind -o - small.upf
	has_lines real$version
	ok $? '… of a real size has its lines'
	objcopy --compress-debug-sections=zlib-gnu real$version
	has_lines real$version
	ok $? '… also compressed as GNU did'
done
# libdw keeps 16 bits of such a number, and takes it for the path all the same.
lines cut 5 500000 5000 0x10001
memory=500000 quick 'a path that is no path if it is read whole' 0 "$report" -q --force -s cut --callgrind -o - small.upf

# many NAME UNITS LENGTH: a program of so many units, each of 16 bytes and with a line table of its own, of no more than one
# file in the unit's directory. They share the text of that.
many() {
	cat >"$1.s" <<END
.globl _start
.type _start, @function
_start: .fill 16 * $2, 1, 0x90
.size _start, . - _start
.section .debug_str, "MS", @progbits, 1
shared: .byte '/'
.fill $3, 1, 'd'
.byte 0
.section .debug_abbrev, ""
.byte 1, 0x11, 0, 0x10, 0x17, 0x11, 1, 0x12, 7, 0x1b, 0xe, 0, 0, 0
.altmacro
.macro unit n
.section .debug_line, ""
table\\n: .long table_end\\n - . - 4
.short 4
.long header_end\\n - . - 4
.byte 1, 1, 1, 0xfb, 14, 13, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1
.byte 0
.asciz "d"
.byte 0, 0, 0, 0
header_end\\n: .byte 0, 9, 2
.quad _start + 16 * \\n
.byte 3, 6, 1, 2, 16, 0, 1, 1
table_end\\n:
.section .debug_info, ""
.long unit_end\\n - . - 4
.short 4
.long 0
.byte 8, 1
.long table\\n
.quad _start + 16 * \\n, 16
.long shared
unit_end\\n:
.endm
.set i, 0
.rept $2
unit %i
.set i, i + 1
.endr
END
	as -o "$1.o" "$1.s" && ld -Ttext=0x120000 -o "$1" "$1.o"
}
"$mktrace" many 4000 2000 2 >many.upf
many real 2000 100 && has_lines real many.upf
ok $? 'many units, each with its line table'
many hostile 2000 340000
memory=300000 quick '… and one long directory for all' 0 "$report" -q --force -s hostile --callgrind -o - many.upf
done_testing
