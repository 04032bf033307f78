/* SPDX-License-Identifier: BSD-2-Clause */
#include "record/cli/summary.h"

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/say.h"
#include "common/quantity.h"

static void print_sample_counts(const struct session *s)
{
	const struct upf_totals *t = &s->records.totals;

	fprintf(stderr,
	        "samples  %llu in %.2f s (%llu rounds, %.1f Hz of %.1f Hz requested); missed %llu, lost %llu\n",
	        (unsigned long long)t->samples, (double)t->duration_ns / 1e9, (unsigned long long)t->rounds,
	        quantity_per_second(t->rounds, t->duration_ns) / (double)s->ntargets,
	        (double)s->options->rate_mhz / 1e3, (unsigned long long)s->live.late,
	        (unsigned long long)s->live.lost);
}

static void print_pause_times(const struct session *s)
{
	const struct upf_totals *t = &s->records.totals;
	uint64_t longer = upf_hist_above(&t->pause, UPF_LONG_PAUSE_NS);
	char sum[QUANTITY_SIZE], p50[QUANTITY_SIZE], p99[QUANTITY_SIZE], max[QUANTITY_SIZE];

	if (!t->pauses) {
		fprintf(stderr, "paused   never\n");
		return;
	}
	fprintf(stderr, "paused   %llu times, %s in all, %.3g%% of the time; p50 %s, p99 %s, max %s",
	        (unsigned long long)t->pauses, quantity_time(sum, t->pause.sum_ns),
	        quantity_percent(t->pause.sum_ns, t->duration_ns * s->ntargets),
	        quantity_time(p50, upf_hist_quantile(&t->pause, 500)),
	        quantity_time(p99, upf_hist_quantile(&t->pause, 990)), quantity_time(max, t->pause.max_ns));
	if (longer)
		fprintf(stderr, "; %llu longer than 1 ms", (unsigned long long)longer);
	fputc('\n', stderr);
}

static void print_retried(const struct session *s)
{
	if (s->retaken)
		fprintf(stderr,
		        "retried  %llu round%s, %.3g%%: paused again at once, for parts of the stacks that the first "
		        "pause did not copy\n",
		        (unsigned long long)s->retaken, s->retaken == 1 ? "" : "s",
		        quantity_percent(s->retaken, s->records.totals.rounds));
}

static void print_overruns(const struct session *s)
{
	if (s->overruns)
		fprintf(stderr, "overrun  %llu pause%s ended by the watchdog, longer than --max-pause %g ms\n",
		        (unsigned long long)s->overruns, s->overruns == 1 ? "" : "s",
		        (double)s->options->max_pause_ns / 1e6);
}

static void print_throttled(uint64_t deadlines, const char *option, double limit)
{
	if (deadlines)
		fprintf(stderr, "throttled %llu deadline%s skipped to stay under %s %g%%\n",
		        (unsigned long long)deadlines, deadlines == 1 ? "" : "s", option, limit * 100);
}

static void print_reason(const struct session *s)
{
	switch (s->reason) {
	case UPF_REASON_SIGNAL:
		fprintf(stderr, "ended    by %s\n", s->signal == SIGINT ? "Ctrl-C" : strsignal(s->signal));
		break;
	case UPF_REASON_ERROR:
	case UPF_REASON_OUTPUT:
		fprintf(stderr, "ended    by the error below\n");
		break;
	default:
		fprintf(stderr, "ended    %s\n", upf_reason_text(s->reason));
	}
}

/* Only a regular file: what was written to a pipe is gone. */
static void print_next_step(const char *trace)
{
	struct stat st;

	if (stat(trace, &st) != 0 || !S_ISREG(st.st_mode))
		return;
	fputs("to read  uniprof-report -s GUEST.elf ", stderr);
	print_safe(stderr, trace);
	fputc('\n', stderr);
}

static void print_written(const struct session *s, const char *path)
{
	unsigned traces = trace_output_count(s->output);
	uint64_t bytes = trace_output_bytes(s->output), samples = s->records.totals.samples;
	char text[QUANTITY_SIZE];

	fprintf(stderr, "written  %s", quantity_bytes(text, bytes));
	if (samples && !s->options->flight_recorder)
		fprintf(stderr, " (%.1f bytes a sample)", (double)bytes / (double)samples);
	if (traces > 1)
		fprintf(stderr, " in %u traces, the last one", traces);
	if (traces > 0 && strcmp(path, "-") != 0) {
		fputs(" to ", stderr);
		print_safe(stderr, trace_output_last(s->output));
		fputc('\n', stderr);
		print_next_step(trace_output_last(s->output));
	} else {
		fputc('\n', stderr);
	}
}

void summary_print(const struct session *s, const char *path)
{
	print_sample_counts(s);
	print_pause_times(s);
	print_retried(s);
	print_overruns(s);
	print_throttled(s->throttled.for_pauses, "--max-overhead", s->options->max_overhead);
	print_throttled(s->throttled.for_cpu, "--max-cpu", s->options->max_cpu);
	print_reason(s);
	print_written(s, path);
}

void summary_print_cost(const struct session *s, size_t pages)
{
	uint64_t samples = s->live.samples;
	struct rusage u;
	double seconds;

	getrusage(RUSAGE_SELF, &u);
	seconds = (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
	          (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
	say("used %.6f s of CPU time, %.1f us a sample, at most %.1f MiB of memory and %zu mapped pages of guests; "
	    "slept %ld times",
	    seconds, samples ? seconds * 1e6 / (double)samples : 0, (double)u.ru_maxrss / 1024, pages, u.ru_nvcsw);
}

void summary_draw_status(const struct live_counters *live, uint64_t bytes)
{
	uint64_t elapsed = live->elapsed_ns, paused = live->paused_ns;
	char text[256], size[QUANTITY_SIZE];

	snprintf(text, sizeof(text), "%.1f s  %llu samples  %.1f Hz  missed %llu  lost %llu  paused %.3f%%  %s",
	         (double)elapsed / 1e9, (unsigned long long)live->samples, quantity_per_second(live->rounds, elapsed),
	         (unsigned long long)live->late, (unsigned long long)live->lost, quantity_percent(paused, elapsed),
	         quantity_bytes(size, bytes));
	fprintf(stderr, "%.*s", terminal_columns(STDERR_FILENO) - 1, text);
	fflush(stderr);
}
