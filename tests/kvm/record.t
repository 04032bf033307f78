#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Records guests on a real KVM, under a small monitor of our own, and holds what was recorded to what they are known to do.
set -u
. "$(dirname "$0")/tap.sh"

# --- stacks and shares -----------------------------------------------------------------------------------------------
# The memory of each guest is in three slots; stacks are above 4 GiB.
looked_at_once() {
	"$record" --dump --image "$guest" "$pid" > "$work/look" || return
	cat "$work/look"
	[ "$(tail -n 1 "$work/look" | sed 's/.*  //; s/+.*//')" = _start ] && grep -q '  kernel_main+0x' "$work/look"
}
for kind in shares levels recursion depth:16; do
	truth=${kind%:*}
	start_vmm -k "work=$kind far"
	ok "$truth: recorded by pid" recorded "$truth" -F 2k -n 4000 "$pid"
	enough=2000
	[ $kind != levels ] || enough=10000
	ok "$truth: every stack is the guest's, and has its share of time" shares "$truth" "$truth" 0
	ok "$truth: the trace says which build ran, as the guest's memory has it" says_build "$truth"
	ok "$truth: one look has the stack by names" looked_at_once
	ok "$truth: nothing is left behind" untouched
	end_machines
done
enough=2000

start_vmm -c 2 -m -d "work=shares others=same"
ok "memory from a memfd, two vCPUs at work: recorded" recorded memfd -F 2k -n 4000 "kvm:$called"
ok "the shares of each vCPU" shares memfd shares 0 1
end_machines

# --- a relocated kernel (KASLR) --------------------------------------------------------------------------------------
start_vmm -k "work=shares far moved=77"
ok "a guest that is not where it was linked: recorded" recorded moved -F 2k -n 4000 "$pid"
tells_where() {
	local linked

	linked=$(nm "$guest" | awk '$3 == "asm_exc_divide_error" { print $1 }')
	"$report" --dump -q "$work/moved.upf" | grep -m 1 " entry .* 0x$(printf %x $((0x$linked + (1 << 30) + (77 << 21))))$"
}
ok "the trace tells where" tells_where
ok "and which build it is" says_build moved
ok "by its image alone every stack is the guest's, and has its share of time" shares moved shares 0
end_machines

# --- a guest that is reset -------------------------------------------------------------------------------------------
# across_a_reset NAME: a recording with a reset in it; by then $work/running.elf is what begins.
across_a_reset() {
	local recorder

	rm -f "$work/$1.upf"
	"$record" --max-overhead 100% --max-cpu 100% -F 2k -n 6000 -o "$work/$1.upf" "$pid" 2> "$work/$1.err" &
	recorder=$!
	await has_samples "$1" && cp "$work/next.elf" "$work/running.elf" && kill -USR2 "$pid"
	wait "$recorder" || {
		cat "$work/$1.err"
		return 1
	}
	"$report" --verify "$work/$1.upf"
}
has_samples() {
	[ "$(stat -c %s "$work/$1.upf" 2> /dev/null || echo 0)" -gt 3000 ]
}
# both_boots TRACE OPTION...: stacks before the reset are of work=shares, those after it of work=levels. Not counted is a
# tenth of a second around it, and the code that starts the guest, where it was linked.
both_boots() {
	local at truth=$kvm/../xen/guests/truth

	at=$("$report" --dump -q "$work/$1.upf" | awk '/ entry / && n++ { at = $4 } END { print at }')
	echo "it has started again at ${at:?}"
	"$report" -q --folded --no-inline "${@:2}" --time "0,$(perl -e "print $at - 0.1")" "$work/$1.upf" > "$work/before"
	"$report" -q --folded --no-inline "${@:2}" --time "$(perl -e "print $at + 0.1")," "$work/$1.upf" > "$work/after"
	sed -i -E 's/^\[user\];//; /^\[no stack\]|^pvh_start|^0x1[0-9a-f]{5}[; ]/d' "$work/before" "$work/after"
	shares_of "$work/before" "$truth/shares.txt" any && shares_of "$work/after" "$truth/levels.txt" any
}
tells_builds() { # SECOND: the first one's build, then its own; either more than once
	"$report" --dump -q "$work/reset.upf" | awk '/ build / { print $NF }' | tee "$work/builds"
	[ "$(wc -l < "$work/builds")" -ge 2 ] && [ "$(uniq "$work/builds")" = "$(readelf -n "$first" "$1" | awk '/Build ID/ { print $3 }' | uniq)" ]
}
printf '#!/bin/sh\nexec gcc "$@" -falign-functions=128\n' > "$work/otherwise"
chmod +x "$work/otherwise"
CC=$work/otherwise "$kvm/guests/build" "$work/other.elf" || echo 'Bail out! no guest'
first=$guest
for way in 'the same build elsewhere' 'another build'; do
	names=(-s "$guest")
	[ "$way" = 'another build' ] && names+=(-s "$work/other.elf")
	cp "${names[-1]}" "$work/next.elf"
	cp "$guest" "$work/running.elf"
	guest=$work/running.elf
	start_vmm -k -z 'work=levels far moved=130 ring=0' 'work=shares far moved=77'
	guest=$first
	ok "a guest that is reset, $way: recorded" across_a_reset reset
	ok "the trace tells which build ran in each" tells_builds "$work/running.elf"
	ok "stacks of both boots have their names" both_boots reset "${names[@]}"
	"$report" -q --archive "${names[@]}" -o "$work/$way.upf" "$work/reset.upf"
	ok "an archive has both" both_boots "$way"
	end_machines
done

# --- interrupts ------------------------------------------------------------------------------------------------------
# An exception's code has no frame, and keeps the frame pointer: it leads from the handler over what was interrupted. That
# has a frame itself, or none. Once the code has tables; else its iret tells.
printf '#!/bin/sh\nexec gcc "$@" -DSTUB_CFI\n' > "$work/with_tables"
chmod +x "$work/with_tables"
CC=$work/with_tables "$kvm/guests/build" "$work/tables.elf" || echo 'Bail out! no guest'
over_interrupts() { # HOW: as many recordings as it takes to see both often; a guest that is stopped often gets on slowly
	local try

	: > "$work/stacks"
	for ((try = 0; try < 20; try++)); do
		recorded interrupts --call-graph "$1" -F 1k -n 1000 "$pid" > "$work/how" 2>&1 || {
			cat "$work/how"
			return 1
		}
		"$report" -q --folded --no-inline -s "$guest" "$work/interrupts.upf" | grep -v '^\[no stack\]' >> "$work/stacks"
		both_interrupted && break
	done
	cat "$work/counts"
	((try < 20)) && ! grep -vE "^_start;kernel_main;work_interrupts(;calls_interrupted(;interrupted(_leaf)?$in_it?)?)? " "$work/stacks"
}
in_it='(;spin|;exception(;handler(;handler_calls)?(;spin)?)?)'
both_interrupted() {
	awk '
		/;interrupted;exception;handler;/ { with += $NF }
		/;interrupted_leaf;exception;handler;/ { leaf += $NF }
		END { print with + 0, "below a frame,", leaf + 0, "below none"; exit with < 20 || leaf < 20 }' "$work/stacks" > "$work/counts"
}
first=$guest
for guest in "$first" "$work/tables.elf"; do
	start_vmm -k 'work=interrupts ring=0'
	for how in fp auto dwarf; do
		ok "what was interrupted is there, and all else: ${guest##*/} by $how" over_interrupts "$how"
	done
	end_machines
done
guest=$first

# --- vCPUs that do nothing -------------------------------------------------------------------------------------------
start_vmm -c 2 -k "work=shares others=idle"
await halted
ok "a halted vCPU beside one at work: recorded" recorded smp -F 2k -n 4000 "$pid"
ok "the halted vCPU is asleep, where it waits" asleep smp
ok "the shares of the other one" shares smp smp 0
end_machines

start_vmm -k work=idle
await halted
ok "an idle guest: recorded" recorded idle -F 1k -n 1000 "$pid"
# Whoever is stopped wakes up for it, and that must not look as if the guest had run. On a busy machine it may, now and
# then.
ok "it is not paused any more: a hundred rounds in a row do not" at_rest idle ' (round|same) domain ' ' same '
end_machines

start_vmm work=idle
await in_state S "$pid"
ok "a guest whose monitor waits in user space: recorded" recorded outside -F 1k -n 200 "$pid"
not_stopped() {
	[ "$("$report" -q --folded --weight samples --state all "$work/outside.upf")" = '[no stack] 200' ]
}
ok "its thread is not stopped where it sleeps, and there is no stack" not_stopped
end_machines

# --- calls -----------------------------------------------------------------------------------------------------------
# calls "OPTION..." WANTED [OR]: what a pause calls that stops all vCPUs, from the first thread seized to the last one
# left. Signals interrupt a wait under strace, which is slow, and it is called again; so it is for one that is late. A
# recording's first pause reads no memory yet, and the last one of a round that is taken again may read more. A thread
# that waits for a processor is not stopped, or let go: it may take several recordings until one pause has stopped all.
calls() {
	local good=0 other=0 retried=0

	# shellcheck disable=SC2086
	start_vmm $1 -k "work=shares others=same"
	: > "$work/calls"
	while ((good == 0)); do
		strace -f -o "$work/strace" \
			-e trace=ptrace,timer_settime,waitid,pread64,process_vm_readv,rt_sigtimedwait \
			"$record" -F 100 -n 100 --max-overhead 100% --max-cpu 100% --max-pause 60s -f \
			-o "$work/calls.upf" "$pid" > "$work/strace.out" 2>&1 || break
		awk -v threads="$(grep -o SEIZE <<< "$2" | wc -l)" '
			function pause() {
				if (gsub("SEIZE", "&", calls) == threads && gsub("DETACH", "&", calls) == threads &&
				    sub(/PTRACE_DETACH[^D]*$/, "PTRACE_DETACH", calls))
					print substr(calls, 2)
				calls = ""
			}
			/ERESTART/ || /waitid.*\{\}, W/ || (/unfinished/ && !/ptrace/) || /ptrace resumed/ { next }
			{ sub(/^[0-9]+ +(<\.\.\. )?/, ""); split($0, a, /[(, ]/) }
			/^rt_sigtimedwait/ || (/PTRACE_SEIZE/ && calls ~ /DETACH/) { pause() }
			/PTRACE_SEIZE/ || (calls && /^(ptrace|timer_settime|waitid|pread64|process_vm)/) {
				calls = calls " " (a[1] == "ptrace" ? a[2] : a[1])
			}' "$work/strace" >> "$work/calls"
		good=$(grep -cxF "$2" "$work/calls")
		other=$(grep -cvxF -e "$2" -e "${2/process_vm_readv /}" \
			-e "${3:-$2}" -e "${3/process_vm_readv /}" "$work/calls")
		retried=$((retried + $(awk '/^retried/ { n = $2 } END { print n + 0 }' "$work/strace.out")))
	done
	end_machines
	echo "$good pauses, and $other others; $retried rounds were taken again"
	sort "$work/calls" | uniq -c
	((good > 0 && other <= retried))
}
begin="PTRACE_SEIZE PTRACE_INTERRUPT" stop="waitid pread64"
ok "one vCPU: seven calls" calls "-c 1" "$begin timer_settime $stop process_vm_readv PTRACE_DETACH"
ok "one vCPU, memory from a memfd: six calls" calls -m "$begin timer_settime $stop PTRACE_DETACH"
if [ "$(nproc)" -gt 1 ]; then
	# One whose processor the recorder has taken is stopped before the other is asked.
	ok "two vCPUs: twelve calls" calls "-c 2" \
		"$begin $begin timer_settime $stop $stop process_vm_readv PTRACE_DETACH PTRACE_DETACH" \
		"$begin timer_settime $stop $begin timer_settime $stop process_vm_readv PTRACE_DETACH PTRACE_DETACH"
else
	ok "# SKIP two vCPUs do not run at once on one processor" true
fi

# --- who it is -------------------------------------------------------------------------------------------------------
start_vmm -c 2 -k work=heartbeat
listed() {
	"$record" --list | tee "$work/list"
	grep -qE "^ *$pid  $called +KVM +2 +16 (running|idle) +[0-9.]+%  $called +yes\$" "$work/list"
}
ok "--list shows it, by its monitor's name" listed
refused() {
	local status=$1 text=$2

	shift 2
	"$record" -f -o "$work/no.upf" "$@" 2> "$work/no.err"
	[ $? = "$status" ] && cat "$work/no.err" && grep -qF "$text" "$work/no.err"
}
if [ ! -e /sys/module/kvm_amd ] && [ ! -e /sys/module/kvm_intel ]; then
	ok "not to be stopped, on a processor that is neither AMD's nor Intel's" refused 4 "$pid: it cannot be sampled without a stop" --sampler live "$pid"
	ok "... and by default stopped" recorded auto -v --sampler auto -n 10 "$pid"
	ok "... which -v explains" grep -q "sampled by stops: KVM runs on no processor of AMD's or Intel's here" "$work/auto.err"
fi
ok "no such guest" refused 4 "nobody: no such domain; there are: " nobody
ok "no such process" refused 4 "$$: no such domain" "kvm:$$"
ok "no such hypervisor here" refused 4 "xen:3: " xen:3

# As Firecracker's jailer starts a monitor: in a folder that is its whole world, as a user of its own, as process 1.
jail=$work/jail
jailed() {
	local library

	mkdir -p "$jail/dev" || return
	for library in $(ldd "$vmm" | grep -o '/[^ ]*'); do
		mkdir -p "$jail${library%/*}"
		cp "$library" "$jail$library"
	done
	cp "$vmm" "$guest" "$jail"
	install -m 666 /dev/null "$work/beats"
	ln -f "$work/beats" "$jail/beats"
	mknod -m 666 "$jail/dev/kvm" c $((0x$(stat -c %t /dev/kvm))) $((0x$(stat -c %T /dev/kvm)))
}
start_jailed() {
	unshare --pid --fork --kill-child chroot --userspec=12345:12345 "$jail" "/$called" -b /beats -a work=levels "/${guest##*/}" &
	machines+=("$!")
	await [ -s "$work/beats" ]
	pid=$(pgrep -P "$!")
	machines+=("$pid") # --kill-child is lost with the change of user
}
only_levels() {
	recorded jailed -F 1k -n 1000 "$called" || return
	folded "$work/jailed.upf" > "$work/shares"
	[ -s "$work/shares" ] && ! grep -v '^_start;kernel_main;work_levels' "$work/shares"
}
end_machines
if jailed 2> "$work/jail.err" && : < "$jail/dev/kvm"; then
	start_jailed
	ok "one in a jail, of another user and another PID namespace: recorded by name" only_levels
	ok "nothing is left behind" untouched
	end_machines
else
	ok "# SKIP no jail can be made here: $(head -n 1 "$work/jail.err")" true
fi
start_vmm -c 2 -k work=heartbeat

# An account without rights, and the capabilities of the unit file, or those that the manual gives to the program.
needed=$(sed -n 's/^AmbientCapabilities=//p' "$kvm/../../docs/uniprof-record@.service" | tr 'A-Z ' 'a-z,' | sed 's/cap_/+/g')
given=$(sed -n 's/^# setcap \([^ ]*\) \\e$/\1/p' "$kvm/../../docs/uniprof-record.1")
as_nobody() {
	setpriv --reuid 65534 --regid 65534 --clear-groups --no-new-privs --bounding-set "-all,$1" --inh-caps "-all,$1" \
		--ambient-caps "$1" "${@:2}"
}
mkdir -m 777 "$work/nobody"
with_capabilities() {
	as_nobody "$needed" "$record" -F 100 -n 20 -o "$work/nobody/a.upf" "$pid" &&
		"$report" --verify "$work/nobody/a.upf"
}
ok "recorded by an account with the unit file's capabilities, $needed" with_capabilities
as_another_account() {
	setpriv --reuid 65534 --regid 65534 --clear-groups "$@"
}
# Of a file on a nosuid mount, or under no_new_privs, the kernel passes over them: then no program has any.
file_capabilities_work() {
	cp "$(command -v cat)" "$work/cat" && setcap "$given" "$work/cat" &&
		as_another_account "$work/cat" /proc/self/status | grep -q '^CapEff:.*[1-9a-f]'
}
with_setcap() {
	cp "$work/uniprof-record" "$work/capable" && setcap "$given" "$work/capable" || return
	as_another_account "$work/capable" -F 100 -n 20 -o "$work/nobody/c.upf" "$pid" &&
		"$report" --verify "$work/nobody/c.upf"
}
ok "the manual gives a command for a file's capabilities" test -n "$given"
if ! command -v setcap > /dev/null; then
	ok "# SKIP no setcap here" true
elif ! file_capabilities_work; then
	ok "# SKIP a file's capabilities have no effect here: no_new_privs, or $work is on a nosuid mount" true
else
	ok "recorded by an account without any, from a file that setcap has given the manual's" with_setcap
fi
without() {
	local capabilities
	capabilities=$(sed "s/,*+$1,*/,/; s/^,//; s/,\$//" <<< "$needed")
	as_nobody "$capabilities" "$record" -o "$work/nobody/b.upf" "$pid" 2>&1 | tee "$work/without"
	grep -qF "$2" "$work/without"
}
for capability in sys_ptrace dac_read_search; do
	ok "refused without $capability" without $capability "$pid: not permitted: CAP_${capability^^} is missing: run as root, or with"
done
for capability in bpf perfmon; do
	ok "refused without $capability" without $capability "$pid: cannot find its memory: CAP_${capability^^} is missing, and"
done

start_vmm -k work=heartbeat
ok "two of one name" refused 4 "$called: more than one domain has this name" "$called"
# trace: strace has the guest's threads, in $tracer. Killed before it has, it leaves a child that waits for ever.
trace() {
	rm -f "$work/tracer"
	strace -f -o /dev/null -p "$pid" 2> "$work/tracer" &
	tracer=$!
	await grep -qs attached "$work/tracer"
}
traced() {
	local tracer

	trace
	refused 4 "$pid: another program traces it" "$pid"
	local status=$?
	kill $tracer
	wait $tracer 2> /dev/null
	return $status
}
ok "one that somebody traces" traced
end_machines
# One that sleeps is not stopped, and no call can fail.
start_vmm -k work=shares
# failing CALL ERROR TEXT: where this call of the recorder's fails so, its message names call, object and error. On a busy
# machine a round that stops the guest may be long in coming.
failing() {
	timeout 100 strace -f -qq -e trace="$1" -e "inject=$1:error=$2" -o /dev/null \
		"$record" -f -o "$work/no.upf" "$pid" 2> "$work/no.err"
	local status=$?
	cat "$work/no.err"
	[ $status != 0 ] && grep -qE "$3" "$work/no.err"
}
if strace -e trace=none true 2> /dev/null; then
	ok "a page that cannot be mapped: the message says which" \
		failing pidfd_getfd EINVAL "$pid: the page of vCPU [01] \\(pidfd_getfd, mmap\\): Invalid argument"
	ok "a thread that cannot be stopped: the message says which" \
		failing ptrace EIO "ptrace\\(PTRACE_SEIZE\\) of thread [0-9]+: Input/output error"
	ok "a process that cannot be held: the message says so" \
		failing pidfd_open EMFILE "$pid: pidfd_open: Too many open files"
fi
few_descriptors() (
	ulimit -Sn 20
	recorded few -F 100 -n 20 "$pid"
)
end_machines
start_vmm -c 8 -k "work=heartbeat others=same"
ok "more vCPUs than the soft limit allows descriptors for" few_descriptors
end_machines
start_vmm -c 2 -k "work=heartbeat others=same"
# strace gets hold of the threads that the recorder does not have at that moment.
looked_at() {
	local tracer

	trace
	kill "$tracer"
	wait "$tracer"
	"$report" --dump "$work/kills.upf" 2> /dev/null | grep 'lost domain 0 .*hypervisor refused'
}
goes_on_recording() {
	local status=0

	begin
	await looked_at || status=1
	kill -INT "$recorder"
	wait "$recorder" || status=1
	cat "$work/kills.err" "$work/tracer"
	"$report" --verify "$work/kills.upf" && return $status
}
ok "somebody traces it for a moment while it is recorded: the recording goes on" goes_on_recording
# A recorder at real-time priority would take all of a processor that is a vCPU's alone.
pinned_to() {
	cat "/proc/$recorder/task/"*/status | sed -n 's/^Cpus_allowed_list:[[:blank:]]*\([0-9]*\)$/\1/p' | sort -u
}
is_pinned() {
	[ "$(pinned_to)" ]
}
keeps_off() { # PROCESSOR
	local pinned

	taskset -apc "$1" "$pid" && begin --realtime=1 || return
	await is_pinned
	pinned=$(pinned_to)
	kill -INT "$recorder"
	wait "$recorder" && echo "the recorder keeps to $pinned" && [ "$pinned" ] && [ "$pinned" != "$1" ]
}
mapfile -t processors < <(taskset -cp $$ | sed 's/.*: //' | tr , '\n' |
	awk -F- '{ for (i = $1; i <= $NF; i++) print i }')
if [ "${#processors[@]}" -ge 2 ]; then
	ok "a guest bound to one processor: the recorder keeps off that" keeps_off "${processors[0]}"
	ok "and off another one" keeps_off "${processors[1]}"
else
	echo "# one processor here: nothing to keep off"
fi
end_machines
start_vmm -r -k work=heartbeat
synced() {
	refused 4 "$pid: its VMM itself uses the registers that KVM shares with it (KVM_CAP_SYNC_REGS)" "$pid" &&
		goes_on && ! disarmed
}
ok "one whose monitor itself uses the registers that KVM shares with it: it goes on" synced
end() {
	"$record" -F 500 -f -o "$work/end.upf" "$pid" 2> "$work/end.err" &
	local recorder=$!
	await [ -s "$work/end.upf" ]
	kill "$pid"
	wait $recorder
	local status=$?
	cat "$work/end.err"
	[ $status = 0 ] && grep -q '^ended.*domain' "$work/end.err"
}
end_machines
start_vmm -c 2 -k work=heartbeat
ok "its end ends the recording" end
end_machines

done_testing
