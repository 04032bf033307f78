#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Pipes and devices. Where the report itself looks for a file, only a regular file is one: a FIFO there must not hold the
# report up. A FIFO that the user names is read: -s <(nm guest), a trace through a pipe.
set -u
. "$(dirname "$0")/tap.sh"
samples=$here/names
cd "$tmp" || exit 1

# A FIFO with a writer, who waits until somebody opens it: a report that does gets a line, and does not hang.
guarded() { # FIFO
	mkfifo "$1"
	echo kept >"$1" &
	writer=$!
}
# untouched FIFO: nobody has opened it until now. It is removed.
untouched() {
	local line

	exec 9<>"$1"
	wait "$writer"
	echo gone >&9
	read -r line <&9
	exec 9>&-
	rm "$1"
	[ "$line" = kept ]
	ok $? "$1 was not opened"
}

id=c0ffee00c0ffee01
cflags='-O2 -g -ffreestanding -fno-pic -no-pie -nostdlib -static'
# shellcheck disable=SC2086
gcc $cflags -Wl,--build-id=0x$id -o guest "$samples/guest.c" || echo 'Bail out! no guest'
leaf=$(objdump -d --no-show-raw-insn --disassemble=leaf guest | awk '$2 == "pause" {sub(":", "", $1); print $1}')
echo "$leaf $(address guest work 8) $(address guest _start 16)" >lines
"$mktrace" stacks <lines >run.upf
plain='_start;work;leaf 1'
inlined='_start;work;leaf;twice 1'
prints 'the guest itself' "$inlined" "$report" --folded -q -s guest run.upf

# --- separate debug files
mkdir -p link/.debug root/usr/lib/debug/.build-id/c0 root/.build-id/c0
objcopy --only-keep-debug guest link/guest.debug
objcopy --strip-debug --add-gnu-debuglink=link/guest.debug guest link/guest
rm link/guest.debug
for at in link/guest.debug link/.debug/guest.debug root/usr/lib/debug/.build-id/c0/${id#c0}.debug root/.build-id/c0/${id#c0}.debug; do
	guarded $at
	prints "a FIFO as $at" "$plain" "$report" --folded -q -s link/guest --symfs "$tmp/root" run.upf
	untouched $at
	ln -s /dev/zero $at
	prints "a device as $at" "$plain" "$report" --folded -q -s link/guest --symfs "$tmp/root" run.upf
	rm $at
done
# What is behind the FIFO is still found.
objcopy --only-keep-debug guest link/.debug/guest.debug
guarded link/guest.debug
prints 'a FIFO, and the debug file in the next place' "$inlined" "$report" --folded -q -s link/guest run.upf
untouched link/guest.debug

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
guarded alt/common
prints 'a FIFO as the common file of several debug files' '_start 1' "$report" --folded -q -s alt/guest alt.upf
untouched alt/common
# shellcheck disable=SC2086
(cd split && gcc $cflags -gsplit-dwarf -Wl,--build-id=0x$id -o guest "$samples/guest.c")
dwo=$(find split -name '*.dwo')
rm "$dwo" # one, or this and what follows fails
guarded "$dwo"
prints 'a FIFO as the file of split DWARF' "$plain" "$report" --folded -q -s split/guest run.upf
untouched "$dwo"

# --- source files, images that the trace names
mkdir source
guarded source/guest.c
"$report" --annotate=leaf -s guest --source-path source run.upf >out 2>err </dev/null
ok $? 'a FIFO as a source file'
untouched source/guest.c

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
"$report" --archive -q -s guest -o out.upf trace >out 2>err </dev/null
code=$?
# The writer may still wait for a reader: the report may refuse a FIFO before it opens it.
kill $writer 2>/dev/null
wait
sed 's/^/# /' err
[ $code -ne 0 ] && [ ! -e out.upf ]
ok $? 'an archive of a FIFO, which would be read twice, is refused'
prints 'a trace from standard input' "$inlined" bash -c "$report --folded -q -s guest - <run.upf"
done_testing
