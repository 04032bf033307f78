/* SPDX-License-Identifier: BSD-2-Clause */
/* In place of live.c, where clang, bpftool or libbpf was missing in the build. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "kvmif/bpf/live.h"

/* Since there is none, none of the others is called. */
struct live *live_open(uint32_t vcpus, bool needs_sp, char *why, size_t size)
{
	(void)vcpus, (void)needs_sp;
	snprintf(why, size, "built without libbpf");
	return NULL;
}

void live_close(struct live *l)
{
	(void)l;
}

void live_read_host(struct live *l)
{
	(void)l;
}

int live_set_vcpu(struct live *l, uint32_t vcpu, uint64_t address, pid_t tid)
{
	(void)l, (void)vcpu, (void)address, (void)tid;
	return -ENOSYS;
}

bool live_plan(struct live *l, uint32_t vcpu, const struct iovec *from, size_t nfrom)
{
	(void)l, (void)vcpu, (void)from, (void)nfrom;
	return false;
}

int live_ask(struct live *l, uint32_t vcpu)
{
	(void)l, (void)vcpu;
	return -ENOSYS;
}

bool live_is_answered(const struct live *l, uint32_t vcpu)
{
	(void)l, (void)vcpu;
	return false;
}

void live_cancel(struct live *l, uint32_t vcpu)
{
	(void)l, (void)vcpu;
}

int live_look(struct live *l, uint32_t first, uint32_t n, uint32_t taken_ns)
{
	(void)l, (void)first, (void)n, (void)taken_ns;
	return -ENOSYS;
}

const struct live_slot *live_answer(const struct live *l, uint32_t vcpu)
{
	(void)l, (void)vcpu;
	return NULL;
}

int live_peek(struct live *l, uint32_t first, uint32_t n)
{
	(void)l, (void)first, (void)n;
	return -ENOSYS;
}

bool live_lacks_space(struct live *l)
{
	(void)l;
	return false;
}

enum guest_exit live_exit(const struct live *l, const struct live_slot *s, const struct kvm_run *run)
{
	(void)l, (void)s, (void)run;
	return GUEST_EXIT_NONE;
}

enum live_found live_registers(const struct live *l, const struct live_slot *s, struct vcpu_state *to)
{
	(void)l, (void)s, (void)to;
	return LIVE_NOT_FOUND;
}

bool live_lacks_sp(const struct live *l)
{
	(void)l;
	return false;
}
