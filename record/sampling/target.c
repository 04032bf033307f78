/* SPDX-License-Identifier: BSD-2-Clause */
#include "record/sampling/target.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/clock.h"
#include "common/parse.h"

#define COPY_OVERHEAD 48 /* words that a copy's registers may take in a block; all others take more */
#define PAGES_MAX 8192   /* mapped at most: 32 MiB of the guest's memory, none of it ours */
#define LINES_MAX 384    /* that a pause copies of one vCPU's memory, beside twice the stack that is kept */

static int find_name(const struct hypervisor_ops *ops, struct hypervisor *x, const char *text, struct guest_info *info)
{
	struct guest_info *domains;
	size_t n, found = 0;
	int rc = ops->host.list(x, NULL, &domains, &n);

	if (rc != 0)
		return rc;
	for (size_t i = 0; i < n; i++) {
		char name[1024];

		if (ops->host.domain_name(x, domains[i].domid, name, sizeof(name)) != 0 || strcmp(name, text) != 0)
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
	return find_name(ops, x, text, info);
}

static bool is_wanted(const uint64_t *wanted, uint32_t vcpu)
{
	return !wanted || (wanted[vcpu / 64] >> vcpu % 64 & 1);
}

/* A round that does not fit into a block could not be recorded: with many vCPUs, stacks are truncated more. */
static bool limit(struct stack_choice *s, size_t vcpus)
{
	size_t frames = UPF_ROUND_FRAMES_MAX / vcpus, window = UPF_ROUND_WINDOW_MAX / vcpus;
	size_t copy = UPF_ROUND_COPY_MAX / vcpus;
	size_t overhead = COPY_OVERHEAD + (s->registers ? UPF_REGISTERS_WORDS : 0);

	if (s->registers && vcpus > UPF_ROUND_REGISTERS_MAX)
		return false;
	if (s->copy_words && copy <= 2 * overhead) {
		if (!s->window_words)
			return false;
		s->copy_words = 0;
	}
	if (s->copy_words && !s->window_words)
		s->max_frames = 1;
	if (s->copy_words)
		frames = UPF_ROUND_COPY_FRAMES_MAX / vcpus;
	if (s->max_frames > frames)
		s->max_frames = (uint32_t)frames;
	if (s->window_words > window)
		s->window_words = (uint32_t)window;
	if (s->copy_words && s->copy_words > copy - overhead)
		s->copy_words = (uint32_t)(copy - overhead);
	return true;
}

static int make_room(struct target *t, const uint64_t *wanted)
{
	size_t n = 0;

	if (t->info.vcpus > UPF_VCPUS_MAX)
		return -ENOTSUP;
	for (uint32_t v = 0; v < t->info.vcpus; v++)
		n += is_wanted(wanted, v);
	if (n == 0)
		return -ENODEV;
	if (!limit(&t->stack, n))
		return -E2BIG;
	t->nsamples = n;
	t->stops = calloc(t->info.vcpus, sizeof(*t->stops));
	t->samples = calloc(n, sizeof(*t->samples));
	t->frames = calloc(n * t->stack.max_frames, sizeof(*t->frames));
	t->words = calloc(n * stack_words(&t->stack) + 1, sizeof(*t->words));
	t->last_cpu_ns = calloc(n, sizeof(*t->last_cpu_ns));
	t->sleepers = calloc(n, sizeof(*t->sleepers));
	t->footings = calloc(n, sizeof(*t->footings));
	if (t->stack.registers && !(t->registers = calloc(n, sizeof(*t->registers))))
		return -ENOMEM;
	if (!t->sleepers || !t->footings || !t->stops || !t->samples || !t->frames || !t->words || !t->last_cpu_ns)
		return -ENOMEM;
	n = 0;
	for (uint32_t v = 0; v < t->info.vcpus; v++) {
		if (!is_wanted(wanted, v))
			continue;
		t->samples[n].vcpu = v;
		t->samples[n].frames = t->frames + n * t->stack.max_frames;
		t->samples[n].words = t->words + n * stack_words(&t->stack);
		t->samples[n].regs = t->stops[v].regs.all;
		n++;
	}
	return 0;
}

static int make_captures(struct target *t)
{
	size_t lines = LINES_MAX + 2 * stack_words(&t->stack) * UPF_WORD / CAPTURE_LINE;

	t->captures = calloc(t->nsamples, sizeof(*t->captures));
	for (size_t i = 0; t->captures && i < t->nsamples; i++)
		if (!(t->captures[i] = capture_new(t->pages, lines)))
			return -ENOMEM;
	if (stack_is_auto(&t->stack) && !(t->returns = returns_new(t->pages)))
		return -ENOMEM;
	if (t->captures && pages_remote(t->pages))
		t->batch = capture_batch_new(t->pages, t->nsamples, lines);
	return t->captures && (t->batch || !pages_remote(t->pages)) ? 0 : -ENOMEM;
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
	t->stack = t->asked = *stack;
	t->seen_ns = clock_now();
	rc = make_room(t, wanted);
	if (rc == 0) {
		t->guest = ops->guest.attach(x, info, wanted, ATTACH_TO_SAMPLE);
		rc = t->guest ? 0 : -errno;
	}
	if (rc == 0) {
		t->arch = ops->guest.arch(t->guest);
		t->pages = pages_new(&ops->memory, t->guest, PAGES_MAX);
		rc = t->pages ? make_captures(t) : -ENOMEM;
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
	for (size_t i = 0; t->captures && i < t->nsamples; i++)
		capture_free(t->captures[i]);
	free(t->captures);
	returns_free(t->returns);
	capture_batch_free(t->batch);
	pages_free(t->pages);
	if (t->guest)
		t->ops->guest.detach(t->guest);
	free(t->stops);
	free(t->samples);
	free(t->frames);
	free(t->words);
	free(t->last_cpu_ns);
	free(t->sleepers);
	free(t->footings);
	free(t->registers);
	free(t);
}

void target_let_go(struct target *t)
{
	pages_drop(t->pages);
	t->ops->memory.let_go(t->guest);
}

void target_reserve(struct target *t, struct block_room *room)
{
	t->reserved.slot = room->slots;
	t->reserved.slots = (uint32_t)t->nsamples;
	t->reserved.copy_words = t->stack.copy_words;
	for (uint32_t i = 0; i < t->nsamples; i++)
		t->samples[i].slot = room->slots++;
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
	t->awaited = old.awaited;
	t->retry = old.retry;
	t->seen_ns = old.seen_ns;
	for (; t->nsamples > t->reserved.slots; t->nsamples--)
		capture_free(t->captures[t->nsamples - 1]);
	for (uint32_t i = 0; i < t->nsamples; i++)
		t->samples[i].slot = t->reserved.slot + i;
	memcpy(t->name, old.name, sizeof(t->name));
	t->throttle = old.throttle;
	if (old.watch)
		target_watch(t, old.watch);
	*again = old;
	target_close(again);
	return 0;
}
