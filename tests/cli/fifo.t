#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Pipes and devices. Where the report itself looks for a file, only a regular file is one: a FIFO there must not hold the
# report up. A FIFO that the user names is read: -s <(nm guest), a trace through a pipe.
set -u
. "$(dirname "$0")/tap.sh"
build=$(cd "$build" && pwd)
report=$build/uniprof-report
mktrace=$build/tests/tools/mktrace
samples=$here/names
cd "$tmp" || exit 1

address() { # address FILE SYMBOL [OFFSET]: hexadecimal
	printf '%x' $((0x$(nm "$1" | awk -v name="$2" '$3 == name {print $1}') + ${3:-0}))
}

# prints NAME TEXT COMMAND...: exactly TEXT, within ten seconds.
prints() {
	local name=$1 text=$2 code
	shift 2
	timeout 10 "$@" >out 2>err </dev/null
	code=$?
	sed 's/^/# /' err
	[ $code -eq 124 ] && echo '# it hangs'
	[ "$(cat out)" = "$text" ] || diff <(echo "$text") out | sed 's/^/# /'
	[ $code -eq 0 ] && [ "$(cat out)" = "$text" ]
	ok $? "$name"
}

id=c0ffee00c0ffee01
cflags='-O2 -g -ffreestanding -fno-pic -no-pie -nostdlib -static'
# shellcheck disable=SC2086
gcc $cflags -Wl,--build-id=0x$id -o guest "$samples/guest.c" || echo 'Bail out! no guest'
leaf=$(objdump -d --no-show-raw-insn --disassemble=leaf guest | awk '$2 == "pause" {sub(":", "", $1); print $1}')
echo "$leaf $(address guest work 8) $(address guest _start 16)" >lines
"$mktrace" stacks <lines >run.upf
bare="[$leaf] 1"
plain='_start;work;leaf 1'
inlined='_start;work;leaf;twice 1'
prints 'the guest itself' "$inlined" "$report" --folded -q -s guest run.upf

# --- separate debug files
mkdir -p link/.debug root/usr/lib/debug/.build-id/c0 root/.build-id/c0
objcopy --only-keep-debug guest link/guest.debug
objcopy --strip-debug --add-gnu-debuglink=link/guest.debug guest link/guest
rm link/guest.debug
for at in link/guest.debug link/.debug/guest.debug root/usr/lib/debug/.build-id/c0/${id#c0}.debug root/.build-id/c0/${id#c0}.debug; do
	mkfifo $at
	prints "a FIFO as $at" "$plain" "$report" --folded -q -s link/guest --symfs "$tmp/root" run.upf
	rm $at
	ln -s /dev/zero $at
	prints "a device as $at" "$plain" "$report" --folded -q -s link/guest --symfs "$tmp/root" run.upf
	rm $at
done
# What is behind the FIFO is still found.
objcopy --only-keep-debug guest link/.debug/guest.debug
mkfifo link/guest.debug
prints 'a FIFO, and the debug file in the next place' "$inlined" "$report" --folded -q -s link/guest run.upf
# Nobody who waits to write into the FIFO is let go on.
(echo kept >link/guest.debug) &
writer=$!
timeout 10 "$report" --folded -q -s link/guest run.upf >/dev/null 2>&1 </dev/null
[ "$(timeout 5 cat link/guest.debug)" = kept ]
ok $? 'a FIFO is not even opened: its writer still waits'
kill $writer 2>/dev/null
wait $writer 2>/dev/null

# --- what DWARF itself refers to
mkdir alt split
cat >alt/guest.s <<'END'
	.globl	_start
	.type	_start, @function
_start:	pause
	jmp	_start
	.size	_start, . - _start
end:	.section .debug_abbrev
	.uleb128 1, 0x11; .byte 1		# a compile unit, with children
	.uleb128 0x3, 0x1f21, 0x11, 1, 0x12, 1, 0, 0	# name: DW_FORM_GNU_strp_alt; low, high pc
	.uleb128 2, 0x2e; .byte 0		# a function
	.uleb128 0x3, 0x1f21, 0x11, 1, 0x12, 1, 0, 0
	.byte	0
	.section .debug_info
	.long	2f - 1f
1:	.value	4
	.long	0
	.byte	8
	.uleb128 1; .long 0; .quad _start, end
	.uleb128 2; .long 0; .quad _start, end
	.byte	0
2:	.section .gnu_debugaltlink
	.asciz	"common"
	.byte	1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20
END
gcc -nostdlib -static -no-pie -o alt/guest alt/guest.s
address alt/guest _start >lines
"$mktrace" stacks <lines >alt.upf
prints 'no common file of several debug files' '_start 1' "$report" --folded -q -s alt/guest alt.upf
mkfifo alt/common
prints 'a FIFO as the common file of several debug files' '_start 1' "$report" --folded -q -s alt/guest alt.upf
# shellcheck disable=SC2086
(cd split && gcc $cflags -gsplit-dwarf -Wl,--build-id=0x$id -o guest "$samples/guest.c")
rm -f split/*.dwo
(cd split && for dwo in $(readelf --debug-dump=info guest 2> /dev/null | sed -n 's/.*dwo_name.*: //p'); do mkfifo "$dwo"; done)
[ -n "$(find split -name '*.dwo' -type p)" ]
ok $? 'split DWARF'
prints 'a FIFO as the file of split DWARF' "$plain" "$report" --folded -q -s split/guest run.upf

# --- source files, images that the trace names
mkdir source
mkfifo source/guest.c
timeout 10 "$report" --list=leaf -s guest --source-path source run.upf >out 2>err </dev/null
[ $? -ne 124 ]
ok $? 'a FIFO as a source file'

# --- FIFOs the user names
prints '-s <(nm guest)' "$plain" bash -c "$report --folded -q -s <(nm guest) run.upf"
mkfifo names
nm guest >names &
prints 'a FIFO for -s' "$plain" "$report" --folded -q -s names run.upf
kill $! 2>/dev/null # where nobody reads it
wait
mkfifo trace
cat run.upf >trace &
prints 'a FIFO for the trace' "$inlined" "$report" --folded -q -s guest trace
kill $! 2>/dev/null
wait
cat run.upf >trace &
writer=$!
timeout 10 "$report" --archive -q -s guest -o out.upf trace >out 2>err </dev/null
code=$?
# The writer may still wait for a reader: the report may refuse a FIFO before it opens it.
kill $writer 2>/dev/null
wait
sed 's/^/# /' err
[ $code -ne 0 ] && [ $code -ne 124 ] && [ ! -e out.upf ]
ok $? 'an archive of a FIFO, which would be read twice, is refused'
prints 'a trace from standard input' "$inlined" bash -c "$report --folded -q -s guest - <run.upf"
done_testing
