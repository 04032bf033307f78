# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
# For tests of the recorder on a simulated clock (clock.h), with a fixed seed: what the recorder does, and when, is
# always the same. The clock is in $work.
export UNIPROF_SEED=1 UNIPROF_SIM_CLOCK=free
clock=${work:?}/clock
simclock() { "$BUILD/tests/tools/simclock" "$clock" "$@"; }

# on_clock COMMAND...: beside the test, as $!, on a clock that the test holds at time 0. go_to SECONDS: lets it go
# until then; what the test has done before has its effect first. go_on: lets it go for ever.
on_clock() {
	simclock new
	UNIPROF_SIM_CLOCK=$clock "$@" &
}
go_to() { simclock until "$1"; }
go_on() { simclock free; }
# ended_by SIGNAL: what runs on the clock; its exit status.
ended_by() {
	kill "-$1" $!
	wait $!
}
