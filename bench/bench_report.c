/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench_report.c - how fast uniprof-report turns a trace into folded stacks and flame graphs, and in how much memory.
 *
 * Usage: bench_report [DIRECTORY of the programs, else $BUILD, else build]. Exit status 1: an aim was missed.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define UNIQUE "10000"
#define DEPTH "20"
#define AIM_PER_SECOND 1e7 /* DESIGN: samples a second from file to folded, one core: a second of CPU time */
#define AIM_GROWTH 1.10    /* memory for 10 M samples beside 100 k: flat */
#define MANY_UNIQUE "200000"
#define AIM_FLAME 3.0 /* seconds of CPU time for a flame graph of 10 M samples with so many stacks */
/* Each sample at an address of its own, without a name: CPU time for one, of 5 M beside 1 M. */
#define AIM_SCATTERED 1.5

struct cost {
	double seconds, cpu_seconds;
	long resident_kib;
};

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void die(const char *what)
{
	fprintf(stderr, "bench_report: %s: %s\n", what, strerror(errno));
	exit(2);
}

static double seconds_of(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

/* So that the report does not share its work among threads. */
static void stay_on_one_cpu(void)
{
	cpu_set_t set;
	int cpu = sched_getcpu();

	CPU_ZERO(&set);
	CPU_SET(cpu < 0 ? 0 : cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set) != 0)
		_exit(125);
}

/* Runs @argv with standard output in @path. */
static struct cost run(const char *const *argv, const char *path, bool one_cpu)
{
	double start = now();
	struct rusage usage;
	struct cost cost;
	int status;
	pid_t pid = fork();

	if (pid < 0)
		die("fork");
	if (pid == 0) {
		int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

		if (fd < 0 || dup2(fd, STDOUT_FILENO) < 0)
			_exit(126);
		if (one_cpu)
			stay_on_one_cpu();
		execv(argv[0], (char *const *)argv);
		_exit(127);
	}
	if (wait4(pid, &status, 0, &usage) != pid)
		die("wait");
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
		errno = ECHILD;
		die(argv[0]);
	}
	cost.seconds = now() - start;
	cost.cpu_seconds = seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
	cost.resident_kib = usage.ru_maxrss;
	return cost;
}

static off_t size_of(const char *path)
{
	int fd = open(path, O_RDONLY);
	off_t size = fd >= 0 ? lseek(fd, 0, SEEK_END) : 0;

	if (fd >= 0)
		close(fd);
	return size;
}

/* The best of @times: the disturbances of others only ever add. */
static struct cost measure_view(const char *report, const char *view, const char *trace, bool one_cpu, int times)
{
	const char *const argv[] = {report, "-q", view, trace, NULL};
	struct cost best = {0};

	for (int i = 0; i < times; i++) {
		struct cost cost = run(argv, "/dev/null", one_cpu);

		if (i == 0 || (one_cpu ? cost.cpu_seconds < best.cpu_seconds : cost.seconds < best.seconds))
			best = cost;
	}
	return best;
}

static struct cost measure(const char *report, const char *trace, bool one_cpu)
{
	return measure_view(report, "--folded", trace, one_cpu, 3);
}

static bool tell(double value, double aim)
{
	printf("%s\n", value <= aim ? "met" : "MISSED");
	return value <= aim;
}

static bool bench_flame(const char *mktrace, const char *report, const char *trace)
{
	const char *const make[] = {mktrace, "many", "10000000", MANY_UNIQUE, DEPTH, NULL};
	struct cost cost;

	run(make, trace, false);
	cost = measure_view(report, "--flamegraph", trace, true, 3);
	printf("flame graph of 10 M samples, " MANY_UNIQUE " stacks: %.2f s of CPU, %ld KiB, aim %.1f s: ",
	       cost.cpu_seconds, cost.resident_kib, AIM_FLAME);
	return tell(cost.cpu_seconds, AIM_FLAME);
}

/* @view of 1 M and of 5 M addresses. */
static bool bench_scattered(const char *mktrace, const char *report, const char *trace, const char *view)
{
	static const char *const counts[] = {"1000000", "5000000"};
	struct cost cost[2];
	double n[2], growth;

	for (int i = 0; i < 2; i++) {
		const char *const make[] = {mktrace, "scattered", counts[i], "4", NULL};

		run(make, trace, false);
		cost[i] = measure_view(report, view, trace, true, 2 - i);
		n[i] = strtod(counts[i], NULL);
		printf("%-12s %.0f M addresses without a name: %.2f us of CPU, %.0f bytes of memory each\n", view,
		       n[i] / 1e6, cost[i].cpu_seconds / n[i] * 1e6, (double)cost[i].resident_kib * 1024 / n[i]);
	}
	growth = cost[1].cpu_seconds / n[1] / (cost[0].cpu_seconds / n[0]);
	printf("%-12s %.2f times the time for each of five times as many, aim %.1f: ", view, growth, AIM_SCATTERED);
	return tell(growth, AIM_SCATTERED);
}

/*
 * What was there before: stacks as text, as uniprof 1.2 wrote them, collapsed by a script. The loop is the one that
 * stackcollapse scripts have.
 */
static double measure_text(const char *report, const char *trace)
{
	static const char collapse[] =
		"while (<>) { chomp; if ($_ eq '') { next } if (/^[01]$/) { $n{join ';', reverse @s}++; @s = (); next } "
		"s/\\+0x[0-9a-f]+$//; push @s, $_ } print \"$_ $n{$_}\\n\" for sort keys %n";
	char text[] = "/tmp/bench-report-text-XXXXXX";
	const char *const write_text[] = {report, "-q", "--stacks", trace, NULL};
	const char *const argv[] = {"/usr/bin/perl", "-e", collapse, text, NULL};
	int fd = mkstemp(text);
	struct cost cost;

	if (fd < 0)
		die(text);
	close(fd);
	run(write_text, text, false);
	cost = run(argv, "/dev/null", true);
	unlink(text);
	return cost.cpu_seconds;
}

int main(int argc, char **argv)
{
	static const char *const counts[] = {"100000", "1000000", "10000000"};
	const char *build = argc > 1 ? argv[1] : getenv("BUILD") ? getenv("BUILD") : "build";
	char mktrace[4096], report[4096], trace[] = "/tmp/bench-report-XXXXXX";
	double rate = 0, growth = 0, by_text = 0, wall = 0, all_cores = 0;
	long first = 0;
	bool met;
	int fd = mkstemp(trace);

	if (fd < 0)
		die(trace);
	close(fd);
	snprintf(mktrace, sizeof(mktrace), "%s/tests/tools/mktrace", build);
	snprintf(report, sizeof(report), "%s/uniprof-report", build);
	printf("report: file to folded, %s stacks of depth %s, addresses without names\n", UNIQUE, DEPTH);
	printf("%12s %10s %9s %9s %12s %12s\n", "samples", "bytes each", "wall s", "CPU s", "M/s of CPU",
	       "memory KiB");
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		const char *const make[] = {mktrace, "many", counts[i], UNIQUE, DEPTH, NULL};
		double n = strtod(counts[i], NULL);
		struct cost cost;

		run(make, trace, false);
		cost = measure(report, trace, true);
		rate = n / cost.cpu_seconds;
		if (i == 0) {
			first = cost.resident_kib;
			by_text = n / measure_text(report, trace);
		}
		wall = cost.seconds;
		growth = (double)cost.resident_kib / (double)first;
		printf("%12s %10.2f %9.3f %9.3f %12.2f %12ld\n", counts[i], (double)size_of(trace) / n, cost.seconds,
		       cost.cpu_seconds, rate / 1e6, cost.resident_kib);
	}
	all_cores = measure(report, trace, false).seconds;
	printf("speed  %.2f M samples/s on one core, aim %.0f: %s\n", rate / 1e6, AIM_PER_SECOND / 1e6,
	       rate >= AIM_PER_SECOND ? "met" : "MISSED");
	printf("       %.0f times that of text collapsed by a script, %.3f M samples/s\n", rate / by_text,
	       by_text / 1e6);
	printf("       %.2f s instead of %.2f s on all %ld cores\n", all_cores, wall, sysconf(_SC_NPROCESSORS_ONLN));
	printf("memory %.2f times for 100 times the samples, aim below %.2f: %s\n", growth, AIM_GROWTH,
	       growth < AIM_GROWTH ? "met" : "MISSED");
	met = rate >= AIM_PER_SECOND && growth < AIM_GROWTH;
	met = bench_flame(mktrace, report, trace) && met;
	met = bench_scattered(mktrace, report, trace, "--folded") && met;
	met = bench_scattered(mktrace, report, trace, "--flamegraph") && met;
	unlink(trace);
	return met ? 0 : 1;
}
