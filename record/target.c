/* SPDX-License-Identifier: BSD-2-Clause */
#include "record/target.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/parse.h"

#define PAGES_MAX 8192 /* mapped at most: 32 MiB of the guest's memory, none of it ours */

static int find_id(const struct xenif_ops *ops, struct xenif *x, uint64_t domid, struct guest_info *info)
{
	int rc = ops->next(x, (uint32_t)domid, info);

	return rc == 0 && info->domid != domid ? -ESRCH : rc;
}

int target_find(const struct xenif_ops *ops, struct xenif *x, const char *text, struct guest_info *info)
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

static int make_room(struct target *t, const uint64_t *wanted)
{
	size_t n = 0;

	if (t->info.vcpus > UPF_VCPUS_MAX)
		return -ENOTSUP;
	for (uint32_t v = 0; v < t->info.vcpus; v++)
		n += is_wanted(wanted, v);
	if (n == 0)
		return -ENODEV;
	/* What a block cannot hold would never be recorded: many vCPUs get shorter stacks, told as truncated. */
	if (n * t->max_stack > UPF_ROUND_FRAMES_MAX)
		t->max_stack = (uint32_t)(UPF_ROUND_FRAMES_MAX / n);
	t->nsamples = n;
	t->stops = calloc(t->info.vcpus, sizeof(*t->stops));
	t->samples = calloc(n, sizeof(*t->samples));
	t->frames = calloc(n * t->max_stack, sizeof(*t->frames));
	t->last_cpu_ns = calloc(n, sizeof(*t->last_cpu_ns));
	if (!t->stops || !t->samples || !t->frames || !t->last_cpu_ns)
		return -ENOMEM;
	n = 0;
	for (uint32_t v = 0; v < t->info.vcpus; v++) {
		if (!is_wanted(wanted, v))
			continue;
		t->samples[n].vcpu = v;
		t->samples[n].frames = t->frames + n * t->max_stack;
		n++;
	}
	return 0;
}

struct target *target_open(const struct xenif_ops *ops, struct xenif *x, const struct guest_info *info,
                           const uint64_t *wanted, uint32_t max_stack)
{
	struct target *t = calloc(1, sizeof(*t));
	int rc;

	if (!t)
		return NULL;
	t->ops = ops;
	t->info = *info;
	t->max_stack = max_stack;
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
		rc = t->pages ? 0 : -ENOMEM;
	}
	if (rc != 0) {
		target_close(t);
		errno = -rc;
		return NULL;
	}
	return t;
}

void target_close(struct target *t)
{
	if (!t)
		return;
	pages_free(t->pages);
	if (t->guest)
		t->ops->detach(t->guest);
	free(t->stops);
	free(t->samples);
	free(t->frames);
	free(t->last_cpu_ns);
	free(t);
}
