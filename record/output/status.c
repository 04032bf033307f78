/* SPDX-License-Identifier: BSD-2-Clause */
#include "record/output/status.h"

#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/say.h"

/* A span of time in the unit that suits it, rounded as text_time() of the report does. */
static const char *span(char *text, size_t size, uint64_t ns)
{
	double v = (double)ns;

	if (ns < 1000000)
		snprintf(text, size, "%.3g us", v / 1e3);
	else if (ns < 1000000000)
		snprintf(text, size, "%.1f ms", v / 1e6);
	else
		snprintf(text, size, "%.1f s", v / 1e9);
	return text;
}

static const char *volume(char *text, size_t size, uint64_t bytes)
{
	if (bytes < 10000)
		snprintf(text, size, "%llu B", (unsigned long long)bytes);
	else if (bytes < 10000000)
		snprintf(text, size, "%.1f kB", (double)bytes / 1e3);
	else
		snprintf(text, size, "%.1f MB", (double)bytes / 1e6);
	return text;
}

static double share(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

static double per_second(uint64_t n, uint64_t ns)
{
	return ns ? (double)n * 1e9 / (double)ns : 0;
}

static int columns(void)
{
	struct winsize w;

	return ioctl(STDERR_FILENO, TIOCGWINSZ, &w) == 0 && w.ws_col > 0 ? w.ws_col : 80;
}

void status_line(const struct live *live, uint64_t bytes)
{
	uint64_t elapsed = live->elapsed_ns, paused = live->paused_ns;
	char text[256], size[32];

	snprintf(text, sizeof(text), "%.1f s  %llu samples  %.1f Hz  late %llu  lost %llu  paused %.3f%%  %s",
	         (double)elapsed / 1e9, (unsigned long long)live->samples, per_second(live->rounds, elapsed),
	         (unsigned long long)live->late, (unsigned long long)live->lost, share(paused, elapsed),
	         volume(size, sizeof(size), bytes));
	fprintf(stderr, "\r\033[K%.*s", columns() - 1, text);
}

void status_clear(void)
{
	fputs("\r\033[K", stderr);
}

static void print_reason(const struct session *s)
{
	switch (s->reason) {
	case UPF_REASON_SIGNAL:
		fprintf(stderr, "ended    %s\n", s->signal == SIGINT ? "by Ctrl-C" : strsignal(s->signal));
		break;
	case UPF_REASON_ERROR:
	case UPF_REASON_OUTPUT:
		fprintf(stderr, "ended    by an error, told below\n");
		break;
	default:
		fprintf(stderr, "ended    %s\n", upf_reason_text(s->reason));
	}
}

static void print_pauses(const struct session *s)
{
	const struct upf_totals *t = &s->totals;
	uint64_t longer = upf_hist_above(&t->pause, UPF_LONG_PAUSE_NS);
	char a[32], b[32], c[32], d[32];

	if (!t->pauses) {
		fprintf(stderr, "paused   never\n");
		return;
	}
	fprintf(stderr, "paused   %llu times, %s in all, %.3g %% of the time; p50 %s, p99 %s, max %s",
	        (unsigned long long)t->pauses, span(a, sizeof(a), t->pause.sum_ns),
	        share(t->pause.sum_ns, t->duration_ns * s->ntargets),
	        span(b, sizeof(b), upf_hist_quantile(&t->pause, 500)),
	        span(c, sizeof(c), upf_hist_quantile(&t->pause, 990)), span(d, sizeof(d), t->pause.max_ns));
	if (longer)
		fprintf(stderr, "; %llu longer than 1 ms", (unsigned long long)longer);
	fputc('\n', stderr);
}

/* What went into a pipe is somebody else's by now. */
static void print_next_step(const char *trace)
{
	struct stat st;

	if (stat(trace, &st) != 0 || !S_ISREG(st.st_mode))
		return;
	fputs("; now: uniprof-report -s GUEST.elf ", stderr);
	print_safe(stderr, trace);
}

static void print_written(const struct session *s, const char *output)
{
	unsigned traces = sink_traces(s->sink);
	uint64_t bytes = sink_bytes(s->sink);
	char text[32];

	fprintf(stderr, "written  %s", volume(text, sizeof(text), bytes));
	if (s->totals.samples && !s->options->recent.on)
		fprintf(stderr, " (%.1f bytes a sample)", (double)bytes / (double)s->totals.samples);
	if (traces > 1)
		fprintf(stderr, " in %u traces, the last one", traces);
	if (traces > 0 && strcmp(output, "-") != 0) {
		fputs(" to ", stderr);
		print_safe(stderr, sink_last(s->sink));
		print_next_step(sink_last(s->sink));
	}
	fputc('\n', stderr);
}

void status_summary(const struct session *s, const char *output)
{
	const struct upf_totals *t = &s->totals;

	fprintf(stderr, "samples  %llu in %.2f s (%llu rounds, %.1f Hz of %.1f Hz asked for); late %llu, lost %llu\n",
	        (unsigned long long)t->samples, (double)t->duration_ns / 1e9, (unsigned long long)t->rounds,
	        per_second(t->rounds, t->duration_ns) / (double)s->ntargets, (double)s->options->rate_mhz / 1e3,
	        (unsigned long long)s->live.late, (unsigned long long)s->live.lost);
	print_pauses(s);
	if (s->held_back)
		fprintf(stderr, "held     %llu deadlines passed over, to stay under --max-overhead %g%%\n",
		        (unsigned long long)s->held_back, s->options->max_overhead * 100);
	print_reason(s);
	print_written(s, output);
}
