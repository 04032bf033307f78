/* SPDX-License-Identifier: BSD-2-Clause */
#include "record/sampling/target.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/parse.h"

#define COPY_OVERHEAD 32 /* words that a copy's registers may take in a block */
#define PAGES_MAX 8192   /* mapped at most: 32 MiB of the guest's memory, none of it ours */
#define LINES_MAX 384    /* that a pause copies of one vCPU's memory, beside twice the stack that is kept */

static int find_id(const struct hypervisor_ops *ops, struct hypervisor *x, uint64_t domid, struct guest_info *info)
{
	int rc = ops->next(x, (uint32_t)domid, info);

	return rc == 0 && info->domid != domid ? -ESRCH : rc;
}

int target_find(const struct hypervisor_ops *ops, struct hypervisor *x, const char *text, struct guest_info *info)
{
	struct guest_info at;
	uint64_t domid;
	int found = 0;

	if (parse_u64(text, 0, UINT32_MAX, &domid) == 0)
		return find_id(ops, x, domid, info);
	for (uint32_t d = 0; ops->next(x, d, &at) == 0; d = at.domid + 1) {
		char name[1024];

		if (ops->domain_name(x, at.domid, name, sizeof(name)) != 0 || strcmp(name, text) != 0)
			continue;
		*info = at;
		found++;
	}
	return found == 1 ? 0 : found == 0 ? -ESRCH : -EINVAL;
}

static bool is_wanted(const uint64_t *wanted, uint32_t vcpu)
{
	return !wanted || (wanted[vcpu / 64] >> vcpu % 64 & 1);
}

/* What a block cannot hold would never be recorded: many vCPUs get shorter stacks, told as truncated. */
static bool limit(struct stack_choice *s, size_t vcpus)
{
	size_t frames = UPF_ROUND_FRAMES_MAX / vcpus, words = UPF_ROUND_WINDOW_MAX / vcpus;

	if (s->tops == UPF_TOPS_COPY) {
		s->max_frames = 1;
		words = UPF_ROUND_COPY_MAX / vcpus;
		if (words <= 2 * COPY_OVERHEAD)
			return false;
		words -= COPY_OVERHEAD;
	}
	if (s->max_frames > frames)
		s->max_frames = (uint32_t)frames;
	if (s->top_words > words)
		s->top_words = (uint32_t)words;
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
	t->words = calloc(n * t->stack.top_words + 1, sizeof(*t->words));
	t->last_cpu_ns = calloc(n, sizeof(*t->last_cpu_ns));
	t->sleepers = calloc(n, sizeof(*t->sleepers));
	if (!t->sleepers || !t->stops || !t->samples || !t->frames || !t->words || !t->last_cpu_ns)
		return -ENOMEM;
	n = 0;
	for (uint32_t v = 0; v < t->info.vcpus; v++) {
		if (!is_wanted(wanted, v))
			continue;
		t->samples[n].vcpu = v;
		t->samples[n].frames = t->frames + n * t->stack.max_frames;
		t->samples[n].words = t->words + n * t->stack.top_words;
		t->samples[n].regs = t->stops[v].regs.all;
		n++;
	}
	return 0;
}

static int make_captures(struct target *t)
{
	size_t lines = LINES_MAX + 2 * t->stack.top_words * UPF_WORD / CAPTURE_LINE;

	t->captures = calloc(t->nsamples, sizeof(*t->captures));
	for (size_t i = 0; t->captures && i < t->nsamples; i++)
		if (!(t->captures[i] = capture_new(t->pages, lines)))
			return -ENOMEM;
	return t->captures ? 0 : -ENOMEM;
}

struct target *target_open(const struct hypervisor_ops *ops, struct hypervisor *x, const struct guest_info *info,
                           const uint64_t *wanted, const struct stack_choice *stack)
{
	struct target *t = calloc(1, sizeof(*t));
	int rc;

	if (!t)
		return NULL;
	t->ops = ops;
	t->info = *info;
	t->stack = t->asked = *stack;
	if (ops->domain_name(x, info->domid, t->name, sizeof(t->name)) != 0)
		t->name[0] = '\0';
	rc = make_room(t, wanted);
	if (rc == 0) {
		t->guest = ops->attach(x, info, wanted);
		rc = t->guest ? 0 : -errno;
	}
	if (rc == 0) {
		t->arch = ops->arch(t->guest);
		t->pages = pages_new(ops, t->guest, PAGES_MAX);
		rc = t->pages ? make_captures(t) : -ENOMEM;
	}
	if (rc != 0) {
		target_close(t);
		errno = -rc;
		return NULL;
	}
	return t;
}

void target_mark(struct target *t, struct pause_mark *mark)
{
	t->mark = mark;
	t->ops->mark_at(t->guest, mark);
}

void target_close(struct target *t)
{
	if (!t)
		return;
	for (size_t i = 0; t->captures && i < t->nsamples; i++)
		capture_free(t->captures[i]);
	free(t->captures);
	pages_free(t->pages);
	if (t->guest)
		t->ops->detach(t->guest);
	free(t->stops);
	free(t->samples);
	free(t->frames);
	free(t->words);
	free(t->last_cpu_ns);
	free(t->sleepers);
	free(t);
}

/* Paused it may still be in the making. The domid may be the same: a save that failed, or left it running. */
static bool is_again(const struct target *t, struct hypervisor *x, const struct guest_info *at)
{
	char name[sizeof(t->name)];

	if (at->dying || at->shutdown || at->paused || at->vcpus == 0)
		return false;
	return memcmp(at->uuid, t->info.uuid, sizeof(at->uuid)) == 0 ||
	       (t->name[0] && t->ops->domain_name(x, at->domid, name, sizeof(name)) == 0 &&
	        strcmp(name, t->name) == 0);
}

int target_find_again(const struct target *t, struct hypervisor *x, struct guest_info *info)
{
	for (uint32_t d = 1; t->ops->next(x, d, info) == 0; d = info->domid + 1)
		if (is_again(t, x, info))
			return 0;
	return -ESRCH;
}

int target_reopen(struct target *t, struct hypervisor *x, const struct guest_info *info, const uint64_t *wanted)
{
	struct target *again = target_open(t->ops, x, info, wanted, &t->asked), old = *t;

	if (!again)
		return -errno;
	/* Blocks have room for as many vCPUs as there were. */
	for (; again->nsamples > t->nsamples; again->nsamples--)
		capture_free(again->captures[again->nsamples - 1]);
	for (size_t i = 0; i < again->nsamples; i++)
		again->samples[i].slot = t->samples[i].slot;
	*t = *again;
	memcpy(t->name, old.name, sizeof(t->name));
	t->throttle = old.throttle;
	if (old.mark)
		target_mark(t, old.mark);
	*again = old;
	target_close(again);
	return 0;
}
