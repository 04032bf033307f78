/* SPDX-License-Identifier: BSD-2-Clause */
#include "kvmif/vcpus/threads.h"

#include <errno.h>
#include <string.h>

#include "kvmif/vcpus/vcpu.h"

struct visit {
	pid_t pid;
	const struct machine *m;
	pid_t *threads;
	pid_t tracer;
	bool late;
};

static void note_thread(struct visit *v, int fd, pid_t tid)
{
	for (uint32_t i = 0; fd >= 0 && i < v->m->vcpus; i++)
		if (v->m->fds[i] == fd)
			v->threads[i] = tid;
}

static bool is_known_thread(const struct visit *v, pid_t tid)
{
	for (uint32_t i = 0; i < v->m->vcpus; i++)
		if (v->threads[i] == tid)
			return true;
	return false;
}

/* The kernel's own, in the monitor's name: they run no vCPU, but may show the call of the thread that made them. */
static bool is_kernels(pid_t pid, pid_t tid)
{
	static const char *const names[] = {"vhost-", "kvm-nx-", "iou-"};
	char name[32];

	if (machine_thread_name(pid, tid, name, sizeof(name)) != 0)
		return true;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strncmp(name, names[i], strlen(names[i])) == 0)
			return true;
	return false;
}

static int look_at_thread(void *visit, pid_t tid)
{
	struct visit *v = visit;
	int fd;

	if (!is_known_thread(v, tid) && vcpu_call_of(v->pid, tid, &fd) == VCPU_HALTED && !is_kernels(v->pid, tid))
		note_thread(v, fd, tid);
	return 0;
}

static int stop_thread(void *visit, pid_t tid)
{
	struct visit *v = visit;
	int fd;

	if (is_known_thread(v, tid) || vcpu_call_of(v->pid, tid, &fd) != VCPU_RUNNING || is_kernels(v->pid, tid))
		return 0;
	fd = vcpu_identify(tid);
	note_thread(v, fd, tid);
	v->late |= fd == -EBUSY;
	if (fd == -EPERM && machine_tracer(v->pid, tid) > 0)
		return -EBUSY;
	return fd == -EPERM ? fd : 0;
}

static int trace(void *visit, pid_t tid)
{
	struct visit *v = visit;
	pid_t by = machine_tracer(v->pid, tid);

	if (by > 0)
		v->tracer = by;
	return 0;
}

int threads_look(const struct machine *m, pid_t threads[MACHINE_VCPUS_MAX])
{
	struct visit v = {.pid = m->pid, .m = m, .threads = threads};
	int rc, missing = 0;

	for (uint32_t i = 0; i < m->vcpus; i++)
		if (threads[i] && vcpu_call_of(m->pid, threads[i], &(int){0}) == VCPU_GONE)
			threads[i] = 0;
	rc = machine_each_thread(m->pid, look_at_thread, &v);
	for (uint32_t i = 0; i < m->vcpus; i++)
		missing += m->fds[i] >= 0 && !threads[i];
	return rc != 0 ? rc : missing;
}

int threads_stop(const struct machine *m, pid_t threads[MACHINE_VCPUS_MAX], bool *late)
{
	struct visit v = {.pid = m->pid, .m = m, .threads = threads};
	int rc = machine_each_thread(m->pid, stop_thread, &v);

	*late = v.late;
	return rc;
}

pid_t threads_tracer(pid_t pid)
{
	struct visit v = {.pid = pid};
	int rc = machine_each_thread(pid, trace, &v);

	return rc != 0 ? rc : v.tracer;
}
