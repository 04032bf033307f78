#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Several guests in one report, each with its own binary: whose names, tables and code an address gets, which file of
# -s is for which guest, archives of all, and traces of Xen and KVM guests shown as one.
set -u
. "$(dirname "$0")/tap.sh"
samples=$here/names
cd "$tmp" || exit 1

# --- two guests: the same addresses, other names
flags='-O2 -g -ffreestanding -fno-pic -no-pie -nostdlib -static'
sed 's,work,serve,g; s,leaf,query,g; s,twice,double_it,g' "$samples/guest.c" >db.c
# shellcheck disable=SC2086
gcc $flags -Wl,--build-id=0xc0ffee00c0ffee01 -o web "$samples/guest.c" && gcc $flags -Wl,--build-id=0xc0ffee00c0ffee02 -o db db.c ||
	echo 'Bail out! no guests'
pause=$(objdump -d --no-show-raw-insn --disassemble=leaf web | awk '$2 == "pause" {sub(":", "", $1); print $1}')
[ "$(objdump -d --no-show-raw-insn --disassemble=query db | awk '$2 == "pause" {sub(":", "", $1); print $1}')" = "$pause" ]
ok $? 'both guests have the same addresses'
stack="$pause $(address web work 8) $(address web _start 16)"
of_both="of 0
$stack
$stack
of 1
$stack"
{ printf 'guest %s 1 1\n' web1 db1; echo "$of_both"; } | "$mktrace" stacks >bare.upf
{ printf 'guest %s 1 1 %s %s\n' web1 "$tmp/web" c0ffee00c0ffee01 db1 "$tmp/db" c0ffee00c0ffee02; echo "$of_both"; } >both.lines
"$mktrace" stacks <both.lines >both.upf
whole='db1;_start;serve;query;double_it 1
web1;_start;work;leaf;twice 2'

prints 'a file for each guest' "$whole" "$report" --folded -q -s web1=web -s db1=db bare.upf
prints 'by number' "$whole" "$report" --folded -q -s 3=web -s 4=db bare.upf
prints 'a file for one, another one for the rest' "$whole" "$report" --folded -q -s db -s web1=web bare.upf
prints 'in any order' "$whole" "$report" --folded -q -s web1=web -s db bare.upf
prints 'recorded images are found by themselves' "$whole" "$report" --folded -q both.upf
prints 'the build tells whose a file is' "$whole" "$report" --folded -q -s db -s web both.upf
prints 'a file for one, the image of the other' "$whole" "$report" --folded -q -s db both.upf
prints 'a file that no recorded build is, beside one that is' "$whole" "$report" --folded -q -s web -s db \
	<({ printf 'guest %s\n' 'web1 1 1 - c0ffee00c0ffee01' 'db1 1 1'; echo "$of_both"; } | "$mktrace" stacks)
prints 'one file for all' 'db1;_start;work;leaf;twice 1
web1;_start;work;leaf;twice 2' "$report" --folded -q -s web bare.upf
prints 'a list from a pipe, for all' 'db1;_start;work;leaf 1
web1;_start;work;leaf 2' "$report" --folded -q -s <(nm web) <(
	{ printf 'guest %s\n' 'web1 1 1' 'db1 2 1'; echo "$of_both"; } | "$mktrace" stacks)
nm web >web.nm && echo '1 T nothing' >nothing.nm
prints 'a list of names for all, where each has a binary' "$whole" "$report" --folded -q -s web1=web -s db1=db -s nothing.nm bare.upf
prints 'names of one guest alone' "db1;$(for a in $(echo "$stack" | tr ' ' '\n' | tac); do printf '0x%s;' "$a"; done | sed 's/;$//') 1
web1;_start;work;leaf 2" "$report" --folded -q -s web1=web.nm bare.upf
"$report" -s web1=web.nm bare.upf | grep -q 'no binary of db1: -s db1=FILE'
ok $? 'the report says whose are missing'
"$report" -s web1=web -s db1=db bare.upf >out && ! grep -q "no binary of" out
ok $? 'not when none are'
strip --strip-debug -o web.plain web
"$report" -s web1=web.plain -s db1=db bare.upf | tr -s ' \n' ' ' | grep -q 'no debug information (DWARF) in the binary of web1'
ok $? 'and whose lacks debug information'
prints 'one guest of them' 'db1;_start;serve;query;double_it 1' "$report" --folded -q --domain db1 -s web1=web -s db1=db bare.upf

# --- by function, and by guest
"$report" -q --sort sym -s web1=web -s db1=db bare.upf >out
grep -q ' 33\..*double_it' out && grep -q ' 66\..*twice' out && [ "$(grep -c _start out)" -eq 1 ]
ok $? 'a flat profile has both; a function of the same name is one'
"$report" -q --by domain --sort sym,dom -s web1=web -s db1=db bare.upf | grep -c '_start .*\(web1\|db1\)' | grep -qx 2
ok $? 'two, where guests are told apart'
"$report" -q --flamegraph --by domain -s web1=web -s db1=db bare.upf >flame.html && grep -q '"double_it"' flame.html && grep -q '"twice"' flame.html
ok $? 'one flame graph'
"$report" --peek 'query|leaf' -q -s web1=web -s db1=db bare.upf >out && grep -q 'serve' out && grep -q 'work' out
ok $? '--peek'
"$report" --annotate 'query|leaf' -q -s web1=web -s db1=db bare.upf >out && grep -q 'db.c' out && grep -q 'guest.c' out
ok $? '--annotate: source of both'
mv db.c db.away
# shellcheck disable=SC2086
sed 's/^/ /' db.away | gcc $flags -x c -o db.elsewhere -
"$report" --annotate . --no-inline -q -s web1=web -s db1=db bare.upf >out
[ "$(grep -c '<leaf' out)" -gt 0 ] && [ "$(grep -c '<query' out)" -gt 0 ] && grep -q 'pause' out
ok $? '--annotate: instructions of both, with their own targets'
"$report" --annotate _start --no-inline -q -s web1=web -s db1=db.elsewhere bare.upf >out
[ "$(grep -cx 'web1\|db1' out)" -eq 2 ]
ok $? '--annotate: whose code of the same name it is'
mv db.away db.c
"$report" -q --pprof -s web1=web -s db1=db both.upf | gunzip | strings >out
grep -q c0ffee00c0ffee01 out && grep -q c0ffee00c0ffee02 out && grep -q '^double_it$\|double_it' out && grep -q twice out
ok $? '--pprof'
"$report" --diff bare.upf --folded -q both.upf -s web1=web -s db1=db >out && grep -q 'db1;_start;serve;query;double_it' out
ok $? '--diff'
{ printf 'guest %s 1 1\n' web1; echo "$stack"; } | "$mktrace" stacks >alone.upf
"$report" --diff alone.upf --folded -q bare.upf -s web1=web -s db1=db >out && grep -q 'web1;_start;work;leaf;twice' out
ok $? '--diff with a trace that lacks one of the guests'
"$report" --diff bare.upf --diff-symbols web1=db --diff-symbols db1=web --folded -q bare.upf -s web1=web -s db1=db >out
grep -q 'web1;_start;serve;query;double_it 2 0' out && grep -q 'db1;_start;work;leaf;twice 1 0' out
ok $? '--diff-symbols by guest'

# --- tables by guest
# shellcheck disable=SC2086
gcc $flags -fomit-frame-pointer -O1 -o web.copy "$samples/guest.c" && gcc $flags -fomit-frame-pointer -o db.copy db.c
copy_of() { # copy_of FILE LEAF MIDDLE
	echo "$(address "$1" "$2") 7ffff000 $(address "$1" "$3" 5) $(address "$1" _start 5) 0 0 0 0 0 0 0 0 0 0 0 0"
}
copies() { # copies FILES...: of guest 0 the first one's, of guest 1 the second one's
	echo 'of 0' && copy_of "$1" leaf work && echo 'of 1' && copy_of "$2" query serve
}
{ printf 'guest %s 1 1\n' web1 db1; copies web.copy db.copy; } | "$mktrace" copies >copies.upf
{ printf 'guest %s 1 1\n' web1; copy_of web.copy leaf work; } | "$mktrace" copies >copy.web.upf
{ printf 'guest %s 1 1\n' db1; copy_of db.copy query serve; } | "$mktrace" copies >copy.db.upf
{ "$report" --folded -q -s db.copy copy.db.upf | sed 's/^/db1;/' && "$report" --folded -q -s web.copy copy.web.upf | sed 's/^/web1;/'; } >apart
prints 'stacks are unwound by the tables of their guest' "$(cat apart)" "$report" --folded -q -s web1=web.copy -s db1=db.copy copies.upf

# --- a kernel that each guest has elsewhere
{
	cat "$samples/guest.c"
	echo '__asm__(".globl _text; _text = .text"); void asm_exc_divide_error(void); void asm_exc_divide_error(void) {}'
} | gcc -O2 -g -ffreestanding -fno-pic -no-pie -mcmodel=kernel -nostdlib -static -Wl,-Ttext=0xffffffff81000000 -Wl,-n -x c -o kernel -
at=$(objdump -d --no-show-raw-insn --disassemble=leaf kernel | awk '$2 == "pause" {sub(":", "", $1); print $1}')
entry=$(address kernel asm_exc_divide_error)
{
	printf 'guest %s 2 1\n' web1 db1 vm1
	printf 'of 0\nentry %x\n%x\n' $((0x$entry + 0x1e000000)) $((0x$at + 0x1e000000))
	printf 'of 1\nentry %x\n%x\n' $((0x$entry + 0x4000000)) $((0x$at + 0x4000000))
	printf 'of 2\nentry %s\n%s\n' "$entry" "$at"
} | "$mktrace" stacks >kaslr.upf
prints 'one kernel, loaded elsewhere in each' 'db1;leaf;twice 1
vm1;leaf;twice 1
web1;leaf;twice 1' "$report" --folded -q -s kernel kaslr.upf
{
	printf 'guest g%d 2 1\n' {10..49}
	for ((i = 0; i < 40; i++)); do
		printf 'of %d\nentry %x\n%x\n' $i $((0x$entry + i * 0x200000)) $((0x$at + i * 0x200000))
	done
} | "$mktrace" stacks >many.upf
"$report" -q -s kernel -o many.archive.upf many.upf
prints 'an archive has many blocks before the one that tells where kernels are' "$(printf 'g%d;leaf;twice 1\n' {10..49})" \
	"$report" --folded -q -s kernel many.archive.upf

# --- machines
clang --target=aarch64-linux-gnu -O2 -g -ffreestanding -nostdlib -static -fuse-ld=lld -x c -o arm - <<<'void spin(void); void spin(void) { for (;;) __asm__("nop"); }
void _start(void); void _start(void) { spin(); }' 2>/dev/null
if [ -f arm ]; then
	{ echo 'guest web1 1 1'; echo 'guest arm1 4 3'; printf 'of 0\n%s\nof 1\n%s\n' "$stack" "$(address arm spin)"; } | "$mktrace" stacks >machines.upf
	prints 'each guest takes the file of its machine' 'arm1;spin 1
web1;_start;work;leaf;twice 1' "$report" --folded -q -s web -s arm machines.upf
	fails 'a file for a guest of another machine' 1 'arm: is for arm64, but web1 ran x86-64 code' "$report" -s web1=arm -s arm1=arm machines.upf
else
	ok 0 'each guest takes the file of its machine # SKIP no linker for ARM'
	ok 0 'a file for a guest of another machine # SKIP no linker for ARM'
fi

{ printf 'guest %s\n' 'small 2 2' 'large 2 1'; printf 'of 0\nc0001000\nof 1\nuser 7f0000001000\n'; } | "$mktrace" stacks >modes.upf
echo '7f0000001000 T program' >program.nm
for view in --folded --perf-script --speedscope; do
	"$report" $view -q -s large=program.nm modes.upf | grep -q program
	ok $? "$view: where the kernel begins depends on the guest"
done

# --- what is refused
fails 'no such guest' 2 "-s: no 'nix' in the trace, but web1 and others; --header shows all" "$report" -s nix=web bare.upf
fails 'nor any whose number that is' 2 "-s: no '9' in the trace" "$report" -s 9=web bare.upf
fails 'no file' 1 'nothing.elf: No such file' "$report" -s web1=nothing.elf bare.upf
fails 'no name of a file' 2 '-s web1=: a file name is needed' "$report" -s web1= bare.upf
fails 'another build' 1 'db: not what web1 ran: c0ffee00c0ffee01, and this is c0ffee00c0ffee02' "$report" -s web1=db -s db1=db both.upf
prints 'unless --force' 'db1;_start;serve;query;double_it 1
web1;_start;serve;query;double_it 2' "$report" --folded -q --force -s web1=db -s db1=db both.upf
fails 'a build that nobody ran' 1 'name its domain by -s DOMAIN=FILE' "$report" -s web.copy both.upf
fails 'of a guest that is not shown' 1 'db: not what web1 ran' "$report" --domain web1 -s db both.upf
cp web a=b && cp web web1=x && cp web a=b@1
prints 'a file whose name has a =' "$whole" "$report" --folded -q -s a=b -s db1=db bare.upf
prints 'one that begins as with a guest' "$whole" "$report" --folded -q -s ./web1=x -s db1=db bare.upf
prints 'of a guest' "$whole" "$report" --folded -q -s web1=web1=x -s db1=db bare.upf
prints 'with a @, too' "$whole" "$report" --folded -q -s web1=a=b@1 -s db1=db bare.upf
higher=$(for a in $stack; do printf '%x ' $((0x$a + 0x40000000)); done)
prints 'an offset for one guest' "db1;_start;serve;query;double_it 1
web1;_start;work;leaf;twice 2" "$report" --folded -q -s web1=web@+40000000 -s db1=db \
	<({ printf 'guest %s 1 1\n' web1 db1; printf 'of 0\n%s\n%s\nof 1\n%s\n' "$higher" "$higher" "$stack"; } | "$mktrace" stacks)
fails '-o is such a file' 2 '-o db: that is the symbol file itself' "$report" -s web1=web -s db1=db -o db bare.upf

# --- hostile names
hostile=$(printf 'a=b;\033[31m"<x>')
{ printf 'guest %s 1 1\n' "$hostile" 'a' 'web1'; printf 'of 0\n%s\nof 1\n%s\nof 2\n%s\n' "$stack" "$stack" "$stack"; } | "$mktrace" stacks >hostile.upf
"$report" --folded -q -s "$hostile=db" -s a=web -s web1=db hostile.upf >out 2>err
grep -q '^a=b.*;_start;serve;query' out && grep -q '^a;_start;work;leaf' out && grep -q '^web1;_start;serve' out && ! grep -q "$(printf '\033')" out err
ok $? 'a name with = and what terminals obey'
"$report" -s a=web -s web1=db hostile.upf >out 2>err
grep -q 'no binary of a=b' out && ! grep -q "$(printf '\033')" out err
ok $? 'in the notes'
fails 'and in messages' 2 'in the trace, but a=b' "$report" -s nix=web hostile.upf
"$report" --folded -q -s "$hostile=nothing" hostile.upf >out 2>err
[ $? -eq 1 ] && [ "$(wc -l <err)" -eq 1 ] && ! grep -q "$(printf '\033')" err
ok $? 'of its file'

# --- archives: the same without binaries
# same_archive NAME TRACE SYMBOLS...: in every view that shows samples.
same_archive() {
	local name=$1 trace=$2 bad=0 view all
	shift 2
	mapfile -t all < <(views dump registers header verify archive)
	"$report" -q --archive "$@" -o full.upf "$trace" || bad=1
	mkdir away && mv web db ./*.copy ./*.plain away
	for view in "${all[@]/#/--}" '--tree --bottom-up' '--folded --by domain' '--flat --sort sym,dom' '--flat --no-inline' \
	    '--flat --no-repair' '--folded --focus work' '--flat --sort sym,line' '--folded --domain db1' '--annotate . --no-inline'; do
		mv away/* .
		# shellcheck disable=SC2086
		"$report" $view "$@" "$trace" >with 2>&1
		code=$?
		mv web db ./*.copy ./*.plain away
		# shellcheck disable=SC2086
		"$report" $view full.upf >without 2>&1
		if [ $? -ne $code ] || [ $code -ne 0 ] || [ ! -s with ] || ! diff <(sed "s/$trace/full.upf/" with) without >differ; then
			bad=1
			echo "# $view:"
			head -5 differ | sed 's/^/# /'
		fi
	done
	mv away/* . && rmdir away
	ok $bad "$name"
}
same_archive 'an archive has the names of each guest' bare.upf -s web1=web -s db1=db
same_archive 'of images found by themselves' both.upf
same_archive 'of one guest alone' bare.upf -s web1=web.nm
same_archive 'without debug information of one' bare.upf -s web1=web.plain -s db1=db
same_archive 'copies of stacks' copies.upf -s web1=web.copy -s db1=db.copy
"$report" -q --archive -s web1=web -s db1=db -o full.upf bare.upf
"$report" --verify full.upf | grep -q '^OK: '
ok $? 'it is sound'
"$report" --folded -q - <full.upf | cmp -s - <(echo "$whole")
ok $? 'read from a pipe'
mv web kept
"$report" -q --archive -s web1=kept -s db1=db -o again.upf full.upf && cmp -s full.upf again.upf
ok $? 'made of an archive'
prints 'a file in place of what the archive has of one guest' 'db1;_start;serve;query;double_it 1
web1;_start;serve;query;double_it 2' "$report" --folded -q -s web1=db full.upf
mv kept web
fails 'an archive of an archive needs all binaries' 2 'archive already' "$report" --archive -s web1=web full.upf -o again.upf
"$report" -q --archive -s web -o one.upf bare.upf
cmp -s <(head -c 32 one.upf | tail -c 16) <(printf '\0\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0') &&
	cmp -s <(head -c 32 full.upf | tail -c 16) <(printf '\1\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0')
ok $? 'older programs refuse it, unless all guests ran one program'
{ head -c 500 full.upf; printf x; tail -c +502 full.upf; } >damaged.upf
"$report" --folded damaged.upf >out 2>err
[ $? -eq 4 ] && grep -q 'incomplete' err
ok $? 'damage is told'

# --- traces of Xen and KVM guests shown as one
{ echo "guest web1 1 1 $tmp/web c0ffee00c0ffee01"; printf '%s\n%s\n' "$stack" "$stack"; } | "$mktrace" stacks >xen.upf
{ echo "guest vm1 5 1 $tmp/db c0ffee00c0ffee02"; echo "$stack"; } | "$mktrace" stacks >kvm.upf
joined='vm1;_start;serve;query;double_it 1
web1;_start;work;leaf;twice 2'
prints 'Xen and KVM together' "$joined" "$report" --folded -q xen.upf kvm.upf
prints 'in the other order' "$joined" "$report" --folded -q kvm.upf xen.upf
prints 'with files' "$joined" "$report" --folded -q -s vm1=db -s web1=web xen.upf kvm.upf
prints 'by build' "$joined" "$report" --folded -q -s db -s web xen.upf kvm.upf
{ printf 'guest %s 1 1\n' web1 web1 db1; printf 'of 0\n%s\nof 1\n%s\nof 2\n%s\n' "$stack" "$stack" "$stack"; } | "$mktrace" stacks >twice.upf
"$report" -q --archive -s 3=web -s 4=db -s 5=db -o twice.full twice.upf
"$report" -q --archive -o xen.full xen.upf && "$report" -q --archive -o kvm.full kvm.upf
mkdir away && mv web db away
prints 'of an archive each' "$joined" "$report" --folded -q xen.full kvm.full
"$report" -q --folded twice.full kvm.full >out
grep -q 'db1;_start;serve;query;double_it' out && ! grep -q 'web1;_start' out
ok $? 'two guests of one name in an archive, which become one: its names are not known'
prints 'an archive of two guests with one of one' 'db1;_start;serve;query;double_it 1
vm1;_start;serve;query;double_it 1
web1;_start;work;leaf;twice 2' "$report" --folded -q full.upf kvm.full
prints 'twice the same' 'db1;_start;serve;query;double_it 1
web1;_start;work;leaf;twice 2' "$report" --folded -q full.upf full.upf
mv away/* . && rmdir away
"$report" -q --flamegraph --by domain xen.upf kvm.upf >flame.html && grep -q '"double_it"' flame.html && grep -q '"twice"' flame.html
ok $? 'one flame graph of them'

done_testing
