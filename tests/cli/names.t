#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# What addresses are called: names, inlined functions and lines from binaries and their debug files, which binary is taken and
# which is refused, and archives, which need none.
set -u
. "$(dirname "$0")/tap.sh"
samples=$here/names
cd "$tmp" || exit 1
# shellcheck source=tests/sim/clock.sh
work=$tmp . "$here/../sim/clock.sh"

skip() { # skip NAME WHY
	ok 0 "$1 # SKIP $2"
}

# --- inlined functions and lines, as addr2line has them
for flags in -O1 -O2 -Os '-O2 -gz' '-O2 -gdwarf-4'; do
	# shellcheck disable=SC2086
	g++ $flags -g -o cxx "$samples/cxx.cc" && "$samples/compare" "$build/tests/tools/addresses" "$tmp/cxx" >compared 2>&1
	code=$?
	sed 's/^/# /' compared
	ok $code "C++, $flags: as addr2line -Cif"
done
clang -nostdlib -shared -o rust "$samples/rust.s" && "$samples/compare" "$build/tests/tools/addresses" "$tmp/rust" >compared 2>&1
code=$?
sed 's/^/# /' compared
ok $code 'Rust: as addr2line -Cif'

# --- local functions, inlined and called: one name, the symbol's
one_name() { # one_name SOURCE LEAST COMPILER FLAG...: at least LEAST functions
	LEAST=$2 "$samples/one-name" "$build/tests/tools/addresses" "$samples/$1" "${@:3}" >different 2>&1
	code=$?
	sed 's/^/# /' different
	ok $code "local functions have one name each: ${*:3}"
}
for command in 'g++ -O1' 'g++ -O2' 'g++ -O3' 'g++ -Os' 'g++ -O2 -gdwarf-4' 'g++ -O2 -flto' 'clang++ -O2'; do
	# shellcheck disable=SC2086
	one_name local.cc 9 $command
done
for command in 'gcc -O2' 'gcc -O3 -flto' 'clang -O2'; do
	# shellcheck disable=SC2086
	one_name local.c 1 $command
done

# --- a guest
gcc -O2 -g -ffreestanding -fno-pic -no-pie -nostdlib -static -Wl,--build-id=0xc0ffee00c0ffee01 -o guest "$samples/guest.c" ||
	echo 'Bail out! no guest'
gcc -O1 -g -ffreestanding -fno-pic -no-pie -nostdlib -static -Wl,--build-id=0xc0ffee00c0ffee02 -o other "$samples/guest.c"
gcc -O2 -ffreestanding -fno-pic -no-pie -nostdlib -static -Wl,--build-id=none -o plain "$samples/guest.c"
leaf=$(objdump -d --no-show-raw-insn --disassemble=leaf guest | awk '$2 == "pause" {sub(":", "", $1); print $1}')
stack="$leaf $(address guest work 8) $(address guest _start 16)"
printf '%s\n' "$stack" "$stack" >lines
"$mktrace" stacks <lines >run.upf

prints 'names, and what is inlined' '_start;work;leaf;twice 2' "$report" --folded -q -s guest run.upf
prints '--no-inline' '_start;work;leaf 2' "$report" --folded -q --no-inline -s guest run.upf
prints 'without DWARF' '_start;work;leaf 2' "$report" --folded -q -s plain run.upf
"$report" -s plain run.upf 2>&1 | grep -q 'no inlined functions and no source lines: no debug information'
ok $? 'the report says so'
"$report" -s guest run.upf 2>&1 | grep -q 'no debug information'
ok $((! $?)) 'not where there is some'
nm -n guest >guest.nm
prints "nm's text" '_start;work;leaf 2' "$report" --folded -q -s guest.nm run.upf
"$report" --perf-script -s guest run.upf 2>/dev/null | tr -s ' \t\n' ' ' | grep -q ' twice[ +].* leaf+0x'
ok $? 'perf script tells what is inlined'

longest=$(printf 'w%.0s' {1..65536})
objcopy --redefine-sym "work=${longest}www" plain long
prints 'names of more than 64 KiB are cut' "_start;$longest;leaf 2" "$report" --folded -q -s long run.upf

# --- stripped files, and where the rest of them is
strip -o stripped guest
fails 'a stripped image' 1 'stripped' "$report" -s "$(objcopy --strip-all -R .eh_frame guest bare 2>/dev/null && echo bare)" run.upf
objcopy --only-keep-debug guest guest.debug
objcopy --add-gnu-debuglink=guest.debug -R .note.gnu.build-id stripped linked 2>/dev/null
whole='_start;work;leaf;twice 2'
prints 'a debug link, beside the file' "$whole" "$report" --folded -q -s linked run.upf
mkdir .debug && mv guest.debug .debug
prints 'in .debug' "$whole" "$report" --folded -q -s linked run.upf
mkdir -p root/usr/lib/debug/.build-id/c0 && mv .debug/guest.debug root/usr/lib/debug/.build-id/c0/ffee00c0ffee01.debug
prints 'by build-id, below --symfs' "$whole" "$report" --folded -q --symfs root -s stripped run.upf
"$report" --folded -q -s stripped run.upf 2>/dev/null | grep -q twice
ok $((! $?)) 'not elsewhere'
cp root/usr/lib/debug/.build-id/c0/ffee00c0ffee01.debug guest.debug
printf x >>guest.debug
"$report" --folded -q -s linked run.upf 2>/dev/null | grep -q leaf
ok $((! $?)) 'a debug file whose CRC differs is not taken'
if command -v xz >/dev/null; then
	objcopy -S -R .comment guest mini
	nm guest >/dev/null && objcopy --strip-debug guest names && xz -k names && objcopy --add-section .gnu_debugdata=names.xz mini
	prints 'mini debug info' '_start;work;leaf 2' "$report" --folded -q -s mini run.upf
else
	skip 'mini debug info' 'no xz here'
fi

# --- elsewhere than linked
moved() { # moved OFFSET: the stack, higher
	local a
	for a in $stack; do printf '%x ' $((0x$a + $1)); done
	echo
}
moved 0x40000000 | "$mktrace" stacks >moved.upf
lowest=$(readelf -lW guest | awk '$1 == "LOAD" {print $3; exit}')
prints '-s FILE@+OFFSET' '_start;work;leaf;twice 1' "$report" --folded -q -s guest@+40000000 moved.upf
prints '-s FILE@ADDRESS' '_start;work;leaf;twice 1' "$report" --folded -q -s "guest@$(printf %x $((lowest + 0x40000000)))" moved.upf
prints 'of an image without DWARF' '_start;work;leaf 1' "$report" --folded -q -s plain@+0x40000000 moved.upf
{
	cat "$samples/guest.c"
	echo 'int percpu __attribute__((section(".percpu"))) = 1; __asm__(".globl _text; _text = .text");'
	echo 'void asm_exc_divide_error(void); void asm_exc_divide_error(void) { percpu = 2; }'
	echo 'void early_idt_handler_array(void); void early_idt_handler_array(void) { percpu = 3; }'
} | gcc -O2 -g -ffreestanding -fno-pic -no-pie -mcmodel=kernel -nostdlib -static -Wl,-Ttext=0xffffffff81000000 \
	-Wl,--section-start=.percpu=0 -Wl,-n -x c -o kernel -
printf '%x\n' $((0x$(address kernel leaf) + 0x1e000000)) | "$mktrace" stacks >kernel.upf
prints 'of a kernel with data at 0' 'leaf 1' "$report" --folded -q -s kernel@ffffffff9f000000 kernel.upf
pause=$(objdump -d --no-show-raw-insn --disassemble=leaf kernel | awk '$2 == "pause" {sub(":", "", $1); print $1}')
nm kernel | sed 's/^ffffffff81/ffffffff9f/' | sort >kallsyms.moved
prints 'of a kernel that its kallsyms tells the place of' 'leaf;twice 1' "$report" --folded -q -s kernel -s kallsyms.moved \
	<(printf '%x\n' $((0x$pause + 0x1e000000)) | "$mktrace" stacks)
entry=$(address kernel asm_exc_divide_error)
kernel_at() { # kernel_at OFFSET-OF-STACK OFFSET-OF-ENTRY
	printf 'entry %x\n%x\n' $((0x$entry + $2)) $((0x$pause + $1)) | "$mktrace" stacks
}
prints 'of a kernel that its first exception tells the place of' 'leaf;twice 1' "$report" --folded -q -s kernel <(kernel_at 0x1e000000 0x1e000000)
prints 'of a kernel that was recorded while it started' 'leaf;twice 1' "$report" --folded -q -s kernel \
	<(kernel_at 0x1e000000 $((0x1e000000 - 0x$entry + 0x$(address kernel early_idt_handler_array))))
prints 'of a kernel that is where it was linked' 'leaf;twice 1' "$report" --folded -q -s kernel <(kernel_at 0 0)
prints 'of another kernel: its first exception is no multiple of a page away' 'leaf;twice 1' "$report" --folded -q -s kernel \
	<(kernel_at 0 0x1e000008)
moved_pause=$(printf %x $((0x$pause + 0x1e000000))) moved_entry=$(printf %x $((0x$entry + 0x1e000000)))
printf '%s\n' "entry 12345" $moved_pause block "entry $moved_entry" $moved_pause | "$mktrace" stacks >booted.upf
prints 'of a kernel that is not there yet when the trace begins' 'leaf;twice 2' "$report" --folded -q -s kernel booted.upf
again=$(printf %x $((0x$entry + 0x2e000000)))
again_pause=$(printf %x $((0x$pause + 0x2e000000)))
printf '%s\n' "entry $moved_entry" $moved_pause $again_pause block $moved_pause "entry 0" $again_pause "entry 4321" \
	$again_pause "entry $again" $again_pause block $moved_pause $again_pause | "$mktrace" stacks >rebooted.upf
prints 'of a kernel that is elsewhere after a reset' "0x$moved_pause 1
0x$again_pause 1
leaf;twice 6" "$report" --folded -q -s kernel rebooted.upf
"$report" -s kernel rebooted.upf | grep -q 'web1 was started again at 0.0 s: each boot has its own'
ok $? '… which the notes say'
prints '… with --time, before it' "0x$again_pause 1
leaf;twice 1" "$report" --folded -q --time 0,15ms -s kernel rebooted.upf
prints '… long after it' "0x$moved_pause 1
leaf;twice 1" "$report" --folded -q --time 55ms, -s kernel rebooted.upf
"$report" -q -s kernel --archive -o rebooted.archive rebooted.upf
prints '… in an archive' "$("$report" --folded -q -s kernel rebooted.upf)" "$report" --folded -q rebooted.archive
prints '… of which --time shows a part' "$("$report" --folded -q --time 25ms, -s kernel rebooted.upf)" \
	"$report" --folded -q --time 25ms, rebooted.archive
prints '… whose kernel is given' "$("$report" --folded -q -s kernel rebooted.upf)" "$report" --folded -q -s kernel rebooted.archive
prints 'of a trace whose kernel is told long before what --time chooses' 'leaf;twice 1' "$report" --folded -q --time 5ms, -s kernel \
	<(printf '%s\n' "entry $moved_entry" $moved_pause block $moved_pause | "$mktrace" stacks)
prints 'kallsyms come before the trace' 'leaf;twice 1' "$report" --folded -q -s kernel -s kallsyms.moved <(kernel_at 0x1e000000 0x3e000000)
{ cat lines; moved 0x40000000; } | "$mktrace" stacks >both.upf
prints 'several images' '_start;work;leaf 1
_start;work;leaf;twice 2' "$report" --folded -q -s guest -s plain@+40000000 both.upf
cp guest guest@1
prints 'a file whose name has an @' "$whole" "$report" --folded -q -s guest@1 run.upf
fails 'no address' 1 'guest@here: No such file' "$report" -s guest@here run.upf

# --- which build ran
"$mktrace" stacks "$tmp/guest" c0ffee00c0ffee01 <lines >named.upf
prints 'the image is found by itself' "$whole" "$report" --folded -q named.upf
prints 'the one that is given may be elsewhere' '_start;work;leaf 2' "$report" --folded -q --no-inline -s stripped -s guest.nm named.upf
fails 'another build is refused' 1 'other: not what web1 ran: c0ffee00c0ffee01, and this is c0ffee00c0ffee02' "$report" -s other named.upf
"$mktrace" stacks "$tmp/other" c0ffee00c0ffee02 <lines >named2.upf
fails 'two builds in two traces' 1 'named2.upf: web1 ran c0ffee00c0ffee02 there, and c0ffee00c0ffee01 in a trace before' \
	"$report" -s guest named.upf named2.upf
"$report" --force -s other named.upf >/dev/null
ok $? 'unless --force'

# --- which build ran, where the trace does not say it: 30 return addresses, each after a call of the right build
{
	echo 'int forever = 1;'
	echo '__attribute__((noinline)) void f30(int n) { while (*(volatile int *)&forever) __asm__ volatile("pause"); }'
	for i in {29..1}; do
		echo "__attribute__((noinline)) int f$i(int n) { volatile int a[$i]; a[0] = n; f$((i + 1))(n + 1); return a[0]; }"
	done
	echo 'void _start(void) { f1(1); }'
} >chain.c
gcc -O1 -g -ffreestanding -fno-pic -no-pie -nostdlib -static -o ran chain.c
gcc -O0 -g -ffreestanding -fno-pic -no-pie -nostdlib -static -o built_again chain.c
objdump -d --no-show-raw-insn ran | awk '{ sub(":$", "", $1) } /pause/ || call { print $1 } { call = /call/ }' | paste -sd' ' >chain.lines
"$mktrace" stacks <chain.lines >chain.upf
prints 'the right build' "_start;$(printf 'f%s;' {1..29})f30 1" "$report" --folded -q -s ran chain.upf
said='probably another build than web1 ran, or lies at another address: of 30 return addresses in its code, [0-3] follow a call.*--force'
for view in flat tree json 'archive -o chain.whole' 'flamegraph -o chain.html'; do
	# shellcheck disable=SC2086
	! "$report" --$view -s built_again chain.upf >out 2>err && grep -qE "$said" err && [ ! -s out ] && ! [ -e chain.whole ] && ! [ -e chain.html ]
	ok $? "another build is refused: --$view"
done
! "$report" -s ran@+8 chain.upf >out 2>err && grep -qE "$said" err
ok $? 'so is another address'
! "$report" --diff chain.upf -s built_again chain.upf >out 2>err && grep -qE "$said" err
ok $? 'and what the new trace is compared with'
"$report" -q --force --folded -s built_again chain.upf >out && [ "$(awk -F';' '{ print $NF }' out)" = 'f30 1' ]
ok $? 'unless --force'
cut -d' ' -f1-6 chain.lines | "$mktrace" stacks >few.upf
fails 'a few return addresses tell it if none follows a call' 1 'probably another build than web1 ran, or lies at another address: of 5 return addresses' "$report" -s built_again few.upf
prints 'and if all do' 'f25;f26;f27;f28;f29;f30 1' "$report" --folded -q -s ran few.upf
cut -d' ' -f1-5 chain.lines | "$mktrace" stacks >fewer.upf
prints 'of fewer than 5 nothing is concluded' 4 sh -c "'$report' --folded -q -s built_again fewer.upf | tr -dc ';' | wc -c"
instructions() { objdump -d --no-show-raw-insn "$@" ran | awk '/^ +[0-9a-f]+:\t/ { sub(":", "", $1); print $1 }'; }
instructions | awk 'NR % 8 == 0' | "$mktrace" stacks >leaves.upf
[ "$("$report" --folded -q -s ran leaves.upf | wc -l)" -ge 20 ]
ok $? 'stacks without callers: the right build'
said='instruction pointers in its code, '
fails 'stacks without callers: another build' 1 "$said" "$report" -s built_again leaves.upf
instructions | awk 'NR % 8 == 0 { print $1 " 1000 0" }' | "$mktrace" copies >frameless.upf
fails 'copies of stacks: another build' 1 "$said" "$report" -s built_again frameless.upf
"$report" --folded -q -s ran frameless.upf >out
ok $? 'copies of stacks: the right build'
instructions | awk 'NR % 8 == 0 { print "user " $1 }' | "$mktrace" stacks >users.upf
"$report" --folded -q -s built_again users.upf >out
ok $? "a program's own addresses say nothing of the kernel"

# --- which build ran, where the guest's memory said it: only a file whose code is there can be meant
id=$(readelf -n guest | awk '/Build ID/ { print $3 }')
note="$(address guest _start) $id"
{ echo "build $note"; cat lines; } | "$mktrace" stacks >found.upf
prints 'the build is found in memory' "build-id $id in its memory, at 0x${note% *}" \
	sh -c "'$report' --header found.upf | tail -2 | tr -s ' \n' ' ' | sed 's/ \$//'"
prints 'its file is right' "$whole" "$report" --folded -q -s guest found.upf
for view in flat json 'archive -o found.whole'; do
	# shellcheck disable=SC2086
	fails "another is refused: --$view" 1 "other: not what web1 ran: $id, and this is c0ffee00c0ffee02" "$report" --$view -s other found.upf
done
"$report" -q --force --folded -s other found.upf >out && [ -s out ]
ok $? 'unless --force'
{ cat lines; echo block; echo "build $note"; } | "$mktrace" stacks >found_later.upf
fails 'found while the trace was recorded' 1 'other: not what web1 ran' "$report" -s other found_later.upf
"$report" -s other <found.upf - >out 2>err
[ $? -eq 1 ] && grep -q 'other: not what web1 ran' err
ok $? 'in a pipe, too'
{ echo "build $note"; cat lines; } | "$mktrace" stacks nowhere.elf c0ffee00c0ffee02 >told.upf
fails 'what the header says comes first' 1 'guest: not what web1 ran: c0ffee00c0ffee02' "$report" -s guest told.upf
{ echo "build ffffffff81000000 $id"; cat lines; } | "$mktrace" stacks >kernels.upf
"$report" -q --folded -s other kernels.upf >out && [ -s out ]
ok $? 'a program under that kernel is not it'
fails 'another kernel is, wherever it was loaded' 1 'kernel: not what web1 ran' "$report" -s kernel kernels.upf
{ echo "build $note"; cat lines; } | "$mktrace" stacks >again.upf
{ echo "later 60"; echo "build 400000 c0ffee00c0ffee02"; cat lines; } | "$mktrace" stacks >another.upf
prints 'two builds in two traces' '_start;work;leaf;twice 4' "$report" --folded -q -s guest -s other again.upf another.upf
prints 'one of which is not at hand' "$(printf '%s\n_start;work;leaf;twice 2\n' "$("$report" --folded -q another.upf)")" \
	"$report" --folded -q -s guest again.upf another.upf
# The guest is reset, and its build-id is found a while after that.
{
	echo "build $note" && cat lines && printf 'entry 1000\nentry 0\n' && cat lines && echo 'entry 2000' && cat lines
	echo "build 400000 c0ffee00c0ffee02" && cat lines
} | "$mktrace" stacks >two_builds.upf
prints 'two builds in one trace' '_start;work;leaf;twice 8' "$report" --folded -q -s guest -s other two_builds.upf
prints 'the second of which alone is at hand' "$(printf '%s\n_start;work;leaf;twice 6\n' "$("$report" --folded -q again.upf)")" \
	"$report" --folded -q -s other two_builds.upf
prints 'by the name of the guest' "$(printf '%s\n_start;work;leaf;twice 6\n' "$("$report" --folded -q again.upf)")" \
	"$report" --folded -q -s web1=other two_builds.upf
fails 'a third one is refused' 1 "plain: not what web1 ran" "$report" -s web1=plain two_builds.upf
mkdir -p byid0/.build-id/"${id::2}" && cp guest byid0/.build-id/"${id::2}/${id:2}"
mkdir -p byid/.build-id/"${id::2}" && ln -s "$tmp/guest" byid/.build-id/"${id::2}/${id:2}"
prints 'its file is found by the build-id' "$whole" "$report" --folded -q --symfs byid found.upf
rm byid/.build-id/"${id::2}/${id:2}" && cp other byid/.build-id/"${id::2}/${id:2}"
"$report" --folded -q --symfs byid found.upf >out && ! grep -q leaf out
ok $? 'a file with another build-id is not taken for it'
objcopy --only-keep-debug guest byid/.build-id/"${id::2}/${id:2}".debug
"$report" --folded -q --symfs byid found.upf >out && grep -q leaf out
ok $? 'its file of debug information is better than nothing'

# --- the image that the host has named, not the user: if it cannot be the one that ran, it is none
addresses=$("$report" --folded -q run.upf)
"$mktrace" stacks "$tmp/guest" <lines >host.upf
prints 'an image that the host has named' "$whole" "$report" --folded -q host.upf
prints '-s comes first' '_start;work;leaf 2' "$report" --folded -q --no-inline -s guest.nm host.upf
prints 'the header says who named it' 'named by the host, not by the user' sh -c "'$report' --header host.upf | tail -1 | sed 's/^ *//'"
{ echo "build $note"; cat lines; } | "$mktrace" stacks "$tmp/guest" >host_found.upf
prints 'of the build in memory' "$whole" "$report" --folded -q host_found.upf
{ echo "build $note"; cat lines; } | "$mktrace" stacks "$tmp/other" >host_other.upf
prints 'of another build by now' "$addresses" "$report" --folded -q host_other.upf
prints 'then a file of that build is found elsewhere' "$whole" "$report" --folded -q --symfs byid0 host_other.upf
mkdir app && cp guest app/app.dbg && strip -o app/app guest
"$mktrace" stacks "$tmp/app/app" <lines >host_app.upf
prints 'a stripped one has its names beside it, as of Unikraft' "$whole" "$report" --folded -q host_app.upf
gzip -c guest >app/vmlinuz
"$mktrace" stacks "$tmp/app/vmlinuz" <lines >host_packed.upf
prints 'a packed one' '_start;work;leaf 2' "$report" --folded -q --no-inline host_packed.upf
echo nonsense >app/raw
for path in app/raw app/none app; do
	"$mktrace" stacks "$tmp/$path" <lines >host_raw.upf
	prints "one of no use: $path" "$addresses" "$report" --folded -q host_raw.upf
done
"$mktrace" stacks "$tmp/built_again" <chain.lines >host_chain.upf
fails 'probably another build' 1 'probably another build than web1 ran' "$report" host_chain.upf

# --- the configuration
config() {
	printf '%s\n' "$@" >uniprof.conf
}
export UNIPROF_CONFIG=$tmp/uniprof.conf
config '# ours' '[guests]' "web1 = $tmp/guest"
prints 'a guest that is configured' "$whole" "$report" --folded -q run.upf
prints '-s comes first' '_start;work;leaf 2' "$report" --folded -q --no-inline -s guest.nm run.upf
config '[guests]' "web* = $tmp/guest ; all of them" "db* = $tmp/plain"
prints 'by a pattern' "$whole" "$report" --folded -q run.upf
config '[guests]' "db* = $tmp/guest"
prints 'another guest' "$addresses" "$report" --folded -q run.upf
config '[guests]' "web1 = $tmp/guest" "web1 = $tmp/none" "web1 = $tmp/other"
prints 'the one that ran' "$whole" "$report" --folded -q found.upf
config '[guests]' "web1 = $tmp/other"
prints 'another build is passed over' "$addresses" "$report" --folded -q found.upf
mkdir images images/folder && cp other plain images && cp guest images/x && mkfifo images/pipe
config '[files]' "images = $tmp/images" "images = $tmp/none"
prints 'a folder of images is searched by build-id' "$whole" "$report" --folded -q found.upf
prints 'and nothing is guessed' "$addresses" "$report" --folded -q run.upf
config '[files]' "symfs = $tmp/byid0"
prints 'symfs' "$whole" "$report" --folded -q found.upf
prints '--symfs comes first' "$addresses" "$report" --folded -q --symfs "$tmp/none" found.upf
mkdir -p home/.config && mv uniprof.conf home/.config
prints 'in ~/.config' "$whole" env -u UNIPROF_CONFIG -u XDG_CONFIG_HOME HOME="$tmp/home" "$report" --folded -q found.upf
prints 'in XDG_CONFIG_HOME' "$whole" env -u UNIPROF_CONFIG XDG_CONFIG_HOME="$tmp/home/.config" "$report" --folded -q found.upf
prints 'a file that is not there is empty' "$addresses" "$report" --folded -q found.upf
wrong() { # TEXT LINE...
	config "${@:2}"
	fails "configuration: $2 $3" 2 "$tmp/uniprof.conf: $1" "$report" run.upf
}
wrong "'web.elf' must be an absolute path" '[guests]' 'web1 = web.elf'
wrong "'guest' is no section" '[guest]' 'web1 = /web.elf'
wrong "'image' is not known in [files]" '[files]' 'image = /web.elf'
wrong "'symfs' has no value" '[files]' 'symfs ='
config '[guests]' 'web1'
fails 'configuration: no value' 2 "$tmp/uniprof.conf:2: neither" "$report" run.upf
"$report" --help >out
ok $? '--help reads no configuration'
export UNIPROF_CONFIG=

# --- the file of a recorded build
mv guest kept && cp other guest
fails 'even where it was recorded' 1 "$tmp/guest: not what web1 ran" "$report" named.upf
rm guest
prints 'it may be gone' "$(for a in $(echo "$stack" | tr ' ' '\n' | tac); do printf '0x%s;' "$a"; done | sed 's/;$//') 2" \
	"$report" --folded -q named.upf
mkdir -p "root$tmp" && cp kept "root$tmp/guest"
mkfifo guest
"$report" --folded -q named.upf >/dev/null
ok $? 'a pipe in its place is not read'
rm guest
prints 'or below --symfs' "$whole" "$report" --folded -q --symfs root named.upf
mv kept guest
fails 'no file' 1 'nothing.elf: No such file' "$report" -s nothing.elf run.upf
: >empty.elf
fails 'an empty file' 1 'empty' "$report" -s empty.elf run.upf
gcc -O2 -nostdlib -static -s -R .eh_frame -x c -o bare2 - <<<'void _start(void) {}' 2>/dev/null
fails 'no symbols at all' 1 'bare' "$report" -s bare run.upf

# --- what the recorder stores
record=$build/uniprof-record-sim
"$record" -q -f -n 20 -o sim.upf busy idle >/dev/null 2>err
[ "$("$report" --header sim.upf | grep -c 'build-id *\(11\)\{20\}$')" -eq 1 ] && "$report" --header sim.upf | grep -q 'memory, at 0x2e00$'
ok $? 'the build-id that is in the memory of a guest'
"$record" -q -f -d 1.5s --overwrite -o sim.upf busy >/dev/null 2>err
"$report" -q --dump sim.upf | awk '/^block/ { n++ } / build domain 0 at 0x2e00 (11)*/ { found++ } END { exit n < 2 || found < n - 1 }'
ok $? 'in each block of a flight recorder'
"$record" -q -f -n 20 --image guest -o sim.upf busy >/dev/null 2>err
"$report" --header sim.upf | tr -s ' ' | grep -qF "$tmp/guest" && "$report" --header sim.upf | grep -q c0ffee00c0ffee01
ok $? '--image: path and build-id'
"$record" -q -f -n 20 --image plain --image busy=guest -o sim.upf busy idle 2>err
"$report" --header sim.upf >header
grep -q c0ffee00c0ffee01 header && grep -q "$tmp/plain" header && grep -q 'xxh3:[0-9a-f]\{32\}' header
ok $? '--image DOMAIN=FILE; a hash where there is no build-id'
cp plain idle.elf
"$record" -q -f -n 20 --image busy=guest --image idle=idle.elf -o sim.upf busy idle 2>err
"$report" --state all sim.upf >out 2>&1 && ! grep -q 'no binary of\|gives names' out
ok $? 'several images: each guest has its own'
fails 'a domain has its own' 1 'plain: not what busy ran: c0ffee00c0ffee01, and' "$report" --domain busy -s plain sim.upf
"$report" --state all --domain idle sim.upf 2>&1 | grep -q 'no binary of\|gives names'
ok $((! $?)) 'the one of the domain that is shown is taken'
export UNIPROF_SIM_KERNEL=$tmp/guest
"$record" -q -f -n 20 -o sim.upf busy idle 2>err && "$report" --header sim.upf | tee header | grep -A1 "^image  *$tmp/guest$" | grep -q 'by the host' &&
	[ "$(grep -c ^image header)" = 1 ]
ok $? 'without --image what the host knows'
"$record" --list -v | grep -A1 '  busy ' | tail -1 | grep -qx " *$tmp/guest" && ! "$record" --list | grep -q "$tmp/guest"
ok $? '--list -v shows it'
"$record" -q -f -n 20 --image plain -o sim.upf busy idle 2>err && "$report" --header sim.upf | grep -c "^image  *$tmp/plain$" | grep -qx 2
ok $? 'which --image replaces'
unset UNIPROF_SIM_KERNEL
"$record" -q -f -n 20 --image nothing -o sim.upf busy >out 2>err
[ $? -eq 2 ] && grep -qx 'uniprof-record: --image nothing: No such file or directory' err
ok $? '--image: no such file'
"$record" -q -f -n 20 --image idle=guest -o sim.upf busy >out 2>err
[ $? -eq 2 ] && grep -q 'idle=guest: no domain of this recording, and as a file: No such file' err
ok $? '--image: no such domain'
"$record" -q -f -n 20 --image plain -o sim.upf busy 2>err
cp plain altered && printf '\xcc' | dd of=altered bs=1 seek=$((0x1008)) conv=notrunc 2>/dev/null
fails 'another build without build-id' 1 'altered: not what busy ran: xxh3:' "$report" -s altered sim.upf
strip -o plain.stripped plain
"$report" -s plain.stripped -s guest.nm sim.upf >/dev/null 2>err
ok $? 'stripped, it is the same build'

# --- what an interrupt begins has no tables: its iret tells what it has on the stack, with an error code or without
gcc -nostdlib -static -no-pie -x assembler -o interrupts - <<'END'
.irp name, _start, interrupted, stub, stub_with_code, both, handler
.globl \name
.type \name, @function
.size \name, 16
.endr
.balign 16
_start: call interrupted; hlt
.balign 16, 0xcc
interrupted: nop; nop; ret
.balign 16, 0xcc
stub: push %rax; call handler; pop %rax; iretq
.balign 16, 0xcc
stub_with_code: push %rax; call handler; pop %rax; add $8, %rsp; iretq
.balign 16, 0xcc
both: push %rax; call handler; pop %rax; jz 1f; iretq; 1: ret
.balign 16, 0xcc
handler: nop; ret
END
pushed() { # pushed SP: by an interrupt, and what is on the stack above
	echo "$(address interrupts interrupted 1) 8 246 $1 10 $(address interrupts _start 5) 0 0"
}
for stub in stub both; do
	echo "$(address interrupts handler 1) 7ffff000 $(address interrupts $stub 6) 55 $(pushed 7ffff038)"
done >interrupted.lines
echo "$(address interrupts handler) 7ffff000 $(address interrupts stub_with_code 6) 55 ee $(pushed 7ffff040)" >>interrupted.lines
echo "$(address interrupts stub 6) 7ffff000 55 $(pushed 7ffff030)" >>interrupted.lines
echo "$(address interrupts stub) 7ffff000 $(pushed 7ffff028)" >>interrupted.lines
prints 'what was interrupted is found in copies' '_start;interrupted;stub 2
_start;interrupted;stub;handler 1
_start;interrupted;stub_with_code;handler 1
both;handler 1' "$report" --folded -q -s interrupts <("$mktrace" copies <interrupted.lines)

# --- archives: the same without the image
{ cat lines; echo "$leaf $(address guest _start 16)"; echo "dead $leaf"; } >stacks
"$mktrace" stacks "$tmp/guest" c0ffee00c0ffee01 <stacks >named.upf
sp=7ffff000
copy() { # copy IP WORDS...: what lies on the stack
	echo "$1 $sp ${*:2} 0 0"
}
{
	copy "$leaf" "$(address guest work 8)" "$(address guest _start 16)"
	copy "$(address guest work)" "$(address guest _start 16)"
	copy "$(address guest _start)" 1 2 3
	copy deadbeef 1 2 3
} | "$mktrace" copies "$tmp/guest" c0ffee00c0ffee01 >copies.upf
"$mktrace" small >small.upf

# same_archive NAME TRACE SYMBOLS...: in every view that shows samples.
same_archive() {
	local name=$1 trace=$2 bad=0 view all
	shift 2
	mapfile -t all < <(views dump registers header verify archive)
	"$report" --archive "$@" -o full.upf "$trace" || bad=1
	mkdir away && mv guest away
	for view in "${all[@]/#/--}" '--tree --bottom-up' '--folded --state all' '--flat --no-inline' '--flat --no-demangle' \
	    '--flat --no-repair' '--folded --focus work' '--flat --sort sym,line' '--flat --time 1%,60%' '--folded --hide leaf' \
	    '--annotate . --no-repair'; do
		mv away/guest .
		# shellcheck disable=SC2086
		"$report" $view "$@" "$trace" >with 2>&1
		code=$?
		mv guest away
		# shellcheck disable=SC2086
		"$report" $view full.upf >without 2>&1
		if [ $? -ne $code ] || [ $code -ne 0 ] || [ ! -s with ] || ! diff <(sed "s/$trace/full.upf/" with) without >differ; then
			bad=1
			echo "# $view:"
			head -5 differ | sed 's/^/# /'
		fi
	done
	mv away/guest . && rmdir away
	ok $bad "$name"
}
same_archive 'an archive needs no image' named.upf -s guest
same_archive 'nor does one of the image found by itself' named.upf
same_archive 'without DWARF' named.upf -s plain --force
same_archive 'copies of stacks' copies.upf -s guest
same_archive 'names alone' small.upf -s syms
"$mktrace" registers >registers.upf
"$report" --archive -s syms -o full.upf registers.upf
"$report" -q --registers full.upf | diff - <("$report" -q --registers -s syms registers.upf) >differ && grep -q 'leaf+0x4$' <("$report" -q --registers full.upf)
ok $? 'registers and words of the stack, by name' "$(cat differ)"
"$report" --archive -s guest -o full.upf copies.upf
"$report" --verify full.upf | grep -q '^OK: '
ok $? 'an archive is sound'
"$report" --header full.upf | grep -q '^archive ' && ! "$report" --header copies.upf | grep -q '^archive '
ok $? 'its header says that it is one'
"$report" --folded -q - <full.upf | cmp -s - <("$report" --folded -q -s guest copies.upf)
ok $? 'read from a pipe'
head -c $(($(stat -c %s full.upf) - 30)) full.upf >cut.upf
"$report" --folded -q cut.upf >out 2>/dev/null
[ $? -eq 4 ] && [ -s out ]
ok $? 'a cut archive'
"$report" --archive -s guest full.upf -o again.upf
cmp -s full.upf again.upf
ok $? 'made of an archive'
{ head -c 480 small.upf; printf x; tail -c +482 small.upf; } >damaged.upf
"$report" --archive -s syms -o full.upf damaged.upf 2>err
[ $? -eq 4 ] && grep -q '^uniprof-report: damaged.upf: incomplete: 1 block damaged' err && [ "$(wc -l <err)" -eq 1 ]
ok $? 'a damaged trace: it is said'
"$report" --folded -q full.upf >out 2>err
[ $? -eq 4 ] && cmp -s out <("$report" --folded -q -s syms damaged.upf 2>/dev/null) && grep -q '1 block missing' err
ok $? 'what was damaged is missing'
"$mktrace" badsamples >bad.upf
"$report" --archive --force -s syms -o bad-archive.upf bad.upf 2>err
[ $? -eq 4 ] && grep -q '^uniprof-report: bad.upf: incomplete: 1 block damaged' err
ok $? 'samples that break the format: it is said, too'
{ head -c 400 full.upf; printf x; tail -c +402 full.upf; } >damaged.upf
"$report" --folded damaged.upf >out 2>err
[ $? -eq 4 ] && grep -q '0x' out && grep -q 'incomplete: 1 block damaged' err
ok $? 'damaged names are told'
"$mktrace" badnames >bad.upf
"$report" --verify bad.upf >out
[ $? -eq 4 ] && grep -q '^NOT OK: 3 blocks damaged' out
ok $? 'names, code and stacks that break the format: --verify'
"$report" --dump bad.upf 2>&1 | grep -q '^block [0-9]* seq 2 of an archive, type 4: 1 bytes stored'
ok $? '--dump'
"$report" --sort address bad.upf >out
[ $? -eq 4 ] && grep -q 'incomplete: 3 blocks damaged' out && grep -q '0x1110' out
ok $? 'and a view'
fails 'without an image it is one already' 2 'archive already' "$report" --archive full.upf -o again.upf
fails 'nothing to keep' 2 'give it by -s FILE' "$report" --archive run.upf -o full.upf
fails 'filters' 2 'use them when you read the archive' "$report" --archive --vcpu 0 -s guest run.upf -o full.upf
fails 'frames left out' 2 'use them when you read the archive' "$report" --archive --max-stack 3 -s guest run.upf -o full.upf
fails 'run states' 2 'use them when you read the archive' "$report" --archive --state running -s guest run.upf -o full.upf
fails 'from a pipe' 2 'one file is needed' "$report" --archive -s guest <(cat run.upf) -o full.upf
fails 'several' 2 'one file is needed' "$report" --archive -s guest run.upf copies.upf -o full.upf

done_testing
