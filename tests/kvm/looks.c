/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * looks.c - what a look at a process's virtual machines costs: how many records it gives, how many descriptors the
 * kernel calls the program for, and the CPU time that one takes in microseconds, of so many. looks PID LOOKS; 0: all
 * processes, as before Linux 6.1.
 */
#include <time.h>

#include "kvmif/bpf/iterator.c"

static _Noreturn void die(const char *what, const char *why)
{
	fprintf(stderr, "looks: %s: %s\n", what, why);
	exit(1);
}

static unsigned long long runs(const struct iterator *it)
{
	struct bpf_prog_info info = {0};
	__u32 size = sizeof(info);

	if (bpf_obj_get_info_by_fd(bpf_program__fd(it->program->progs.each_file), &info, &size) != 0)
		die("program", strerror(errno));
	return info.run_cnt;
}

static int count(void *ctx, const struct kvm_record *record)
{
	(void)record;
	++*(unsigned *)ctx;
	return 0;
}

static unsigned long long cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (unsigned long long)t.tv_sec * 1000000000u + (unsigned long long)t.tv_nsec;
}

int main(int argc, char **argv)
{
	const pid_t pid = argc == 3 ? (pid_t)atoi(argv[1]) : 0;
	const unsigned looks = argc == 3 ? (unsigned)atoi(argv[2]) : 0;
	unsigned long long began_ns, before;
	struct iterator *it;
	unsigned records = 0;
	char why[80];

	if (!looks)
		die("usage", "looks PID LOOKS");
	it = iterator_open(why, sizeof(why));
	if (!it)
		die("iterator", why);
	if (bpf_enable_stats(BPF_STATS_RUN_TIME) < 0)
		die("statistics", strerror(errno));
	before = runs(it);
	began_ns = cpu_ns();
	for (unsigned i = 0; i < looks; i++)
		if (iterator_read(it, pid, count, &records) != 0)
			die("read", "failed");
	printf("%u %llu %llu\n", records / looks, (runs(it) - before) / looks, (cpu_ns() - began_ns) / looks / 1000);
	iterator_close(it);
}
