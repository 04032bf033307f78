/* SPDX-License-Identifier: BSD-2-Clause */
#include "record/sampling/target.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/clock.h"
#include "common/parse.h"

#define PAGES_MAX 8192 /* mapped at most: 32 MiB of the guest's memory, none of it ours */

bool target_is_called(const struct hypervisor_ops *ops, struct hypervisor *x, uint32_t domid, const char *name)
{
	char is[1024];

	return ops->host.domain_name(x, domid, is, sizeof(is)) == 0 && strcmp(is, name) == 0;
}

static int find_by_name(const struct hypervisor_ops *ops, struct hypervisor *x, const char *text,
                        struct guest_info *info)
{
	struct guest_info *domains;
	size_t n, found = 0;
	int rc = ops->host.list(x, NULL, &domains, &n);

	if (rc != 0)
		return rc;
	for (size_t i = 0; i < n; i++) {
		if (!target_is_called(ops, x, domains[i].domid, text))
			continue;
		*info = domains[i];
		found++;
	}
	free(domains);
	return found == 1 ? 0 : found == 0 ? -ESRCH : -EINVAL;
}

int target_find(const struct hypervisor_ops *ops, struct hypervisor *x, const char *text, struct guest_info *info)
{
	uint64_t domid;

	if (parse_u64(text, 0, UINT32_MAX, &domid) == 0)
		return ops->host.find(x, (uint32_t)domid, info);
	return find_by_name(ops, x, text, info);
}

static struct target *open_unnamed(const struct hypervisor_ops *ops, struct hypervisor *x,
                                   const struct guest_info *info, const uint64_t *wanted,
                                   const struct stack_choice *stack)
{
	struct target *t = calloc(1, sizeof(*t));
	int rc;

	if (!t)
		return NULL;
	t->ops = ops;
	t->info = *info;
	t->asked = *stack;
	t->comeback.seen_ns = clock_now();
	rc = vcpu_stacks_open(&t->stacks, info->vcpus, wanted, stack);
	if (rc == 0) {
		t->guest = ops->guest.attach(x, info, wanted, ATTACH_TO_SAMPLE);
		rc = t->guest ? 0 : -errno;
	}
	if (rc == 0) {
		t->arch = ops->guest.arch(t->guest);
		t->pages = pages_new(&ops->memory, t->guest, PAGES_MAX);
		rc = t->pages ? vcpu_stacks_capture(&t->stacks, t->pages) : -ENOMEM;
	}
	if (rc != 0) {
		target_close(t);
		errno = -rc;
		return NULL;
	}
	return t;
}

struct target *target_open(const struct hypervisor_ops *ops, struct hypervisor *x, const struct guest_info *info,
                           const uint64_t *wanted, const struct stack_choice *stack)
{
	struct target *t = open_unnamed(ops, x, info, wanted, stack);

	if (t && ops->host.domain_name(x, info->domid, t->name, sizeof(t->name)) != 0)
		t->name[0] = '\0';
	return t;
}

static void begin_stop(void *target)
{
	struct target *t = target;

	t->stop_began_ns = watch_begin(t->watch);
}

static void end_stop(void *target)
{
	struct target *t = target;
	uint64_t ended_ns = clock_now();

	watch_end(t->watch, &t->stop_began_ns, &ended_ns);
}

void target_watch(struct target *t, struct watch *watch)
{
	const struct stop_guard guard = {begin_stop, end_stop, t};

	t->watch = watch;
	t->ops->pause.mark_at(t->guest, watch->mark, &guard);
}

bool target_is_live(const struct target *t)
{
	return t->ops->guest.is_live && t->ops->guest.is_live(t->guest);
}

void target_explain(const struct hypervisor_ops *ops, struct hypervisor *x, const struct guest_info *info, int error,
                    char *why, size_t size)
{
	if (error == ENODEV)
		snprintf(why, size, "it has vCPUs 0 to %" PRIu32 ", none of those asked for", info->vcpus - 1);
	else if (error == E2BIG)
		snprintf(why, size, "it has too many vCPUs: select some with -C");
	else
		ops->host.explain(x, NULL, info, error, why, size);
}

void target_close(struct target *t)
{
	if (!t)
		return;
	vcpu_stacks_close(&t->stacks);
	pages_free(t->pages);
	if (t->guest)
		t->ops->guest.detach(t->guest);
	free(t);
}

void target_let_go(struct target *t)
{
	pages_drop(t->pages);
	t->ops->memory.let_go(t->guest);
}

void target_reserve(struct target *t, struct queue_blocks *room)
{
	t->reserved.slot = room->slots;
	t->reserved.slots = (uint32_t)t->stacks.nsamples;
	t->reserved.copy_words = t->stacks.choice.copy_words;
	for (uint32_t i = 0; i < t->stacks.nsamples; i++)
		t->stacks.samples[i].slot = room->slots++;
	if (room->copy_words < t->reserved.copy_words)
		room->copy_words = t->reserved.copy_words;
}

int target_reopen(struct target *t, struct hypervisor *x, const struct guest_info *info, const uint64_t *wanted)
{
	struct stack_choice choice = t->asked;
	struct target *again, old = *t;

	if (choice.copy_words > t->reserved.copy_words)
		choice.copy_words = t->reserved.copy_words;
	/* It keeps its name: asking for it may block the sampling thread. */
	again = open_unnamed(t->ops, x, info, wanted, &choice);
	if (!again)
		return -errno;
	*t = *again;
	t->asked = old.asked;
	t->reserved = old.reserved;
	t->look = old.look;
	t->rounds = old.rounds;
	t->comeback = old.comeback;
	for (; t->stacks.nsamples > t->reserved.slots; t->stacks.nsamples--)
		capture_free(t->stacks.captures[t->stacks.nsamples - 1]);
	for (uint32_t i = 0; i < t->stacks.nsamples; i++)
		t->stacks.samples[i].slot = t->reserved.slot + i;
	memcpy(t->name, old.name, sizeof(t->name));
	t->throttle = old.throttle;
	if (old.watch)
		target_watch(t, old.watch);
	*again = old;
	target_close(again);
	return 0;
}
