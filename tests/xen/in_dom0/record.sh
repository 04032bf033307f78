# SPDX-License-Identifier: BSD-2-Clause
# dom0's part of record.t: records guests whose stacks and times are known.

# record NAME ARGUMENT...: leaves NAME.upf, NAME.err and NAME.rc.
record() {
	name=$1
	shift
	uniprof-record -o "/out/$name.upf" "$@" 2> "/out/$name.err"
	echo $? > "/out/$name.rc"
}

# Each millisecond has one sample, and these guests stay in a function for 1 ms or more. So a share of 2 s is off by a
# fraction of a sample for each stay (5 standard deviations: 2 points), and by the cycle of 10 ms that is not whole (0.1
# points).
for work in shares levels recursion; do
	guest_start $work 1 "work=$work"
	record $work -F 1000 -d 2 $work
	guest_end $work
done

# What is left of root's privileges while it samples: of every thread, and of the watchdog. It gives up the last ones when
# everything is at work, just before its first sample.
guest_start caps 1 "work=shares"
uniprof-record -v -r -F 1000 -o /out/caps.upf caps 2> /out/caps.err &
recorder=$!
await has_samples /out/caps.upf 1
for task in /proc/$recorder/task/* /proc/$(cat /proc/$recorder/task/$recorder/children); do
	grep -E '^(Name|CapEff|CapPrm|NoNewPrivs)' $task/status
done > /out/caps
kill -INT $recorder
wait $recorder
echo $? > /out/caps.rc
guest_end caps

# At 3 % there are some 850 samples a second.
guest_start held 1 "work=shares"
record held -F 100k -d 3 --max-overhead 3% held
guest_end held

# The same, measured by the guest's own clock: how long its vCPU has lived, and stood, since it first looked.
has_looked() {
	[ "$(onlooker words clock "$@")" != '0 0' ]
}
guest_start clock 1 "work=heartbeat"
await has_looked "$@"
onlooker words clock "$@" > /out/clock.words
record clock -F 100k -d 3 --max-overhead 3% clock
onlooker words clock "$@" >> /out/clock.words
guest_end clock

guest_start smp 2 "work=shares"
record smp -F 1000 -d 2 smp
record vcpu1 -F 100 -n 50 -C 1 "$(domid smp)"
uniprof-record -F 1000 -n 500 -q -o - smp | cat > /out/pipe.upf
guest_end smp

guest_start idle 2 "work=idle"
record idle -F 1000 -d 10 idle
guest_start idle2 1 "work=idle"
traced asleep idle idle2
guest_end idle
guest_end idle2

guest_start depth 1 "work=depth:16"
record depth -F 1000 -n 100 depth
xenctx -f "$(domid depth)" 0 > /out/xenctx.txt
traced strace depth
