/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * view_last.c - the last sample of each vCPU: its state, and its stack by names. What uniprof-record --dump shows of a
 * guest as it is now, and what a flight recorder's trace ends with.
 */
#include "report/view/register_text.h"
#include "report/view/vcpu_text.h"
#include "report/view/view.h"

#include <string.h>

struct last_sample {
	uint32_t domain, vcpu;
	uint32_t node;
	struct upf_record sample; /* its registers and words are gone */
	char mode[REGISTER_TEXT];
};

struct look {
	const struct report *report;
	struct domain_states domains;
	HASH_ARRAY(struct last_sample, samples, n, by_vcpu);
};

static int look_at_record(void *ctx, const struct upf_block *b, const struct upf_record *rec, uint32_t node)
{
	struct look *l = ctx;
	struct register_set set = {0};
	struct last_sample *last;
	uint32_t id;
	int rc;

	(void)b;
	if (rec->kind == UPF_EVENT)
		return domain_states_note(&l->domains, rec);
	if (rec->kind != UPF_SAMPLE || !counters_among(l->report->selection->states, rec->state))
		return 0;
	rc = hash_array_add(&l->by_vcpu, &id, vcpu, &(struct last_sample){.domain = rec->domain, .vcpu = rec->vcpu});
	if (rc != 0)
		return rc;
	last = &l->samples[id];
	last->sample = *rec;
	last->node = node;
	if (upf_record_registers(rec, &set))
		register_mode(last->mode, &set, vcpu_arch(l->report, rec), rec->user);
	else
		strcpy(last->mode, rec->user ? "user mode" : "kernel mode");
	return 0;
}

static int compare_vcpus(const void *a, const void *b)
{
	const struct last_sample *x = a, *y = b;

	return x->domain != y->domain ? array_compare(x->domain, y->domain) : array_compare(x->vcpu, y->vcpu);
}

static int print_all(struct look *l)
{
	const struct report *r = l->report;
	struct callchain chain = {0};
	int rc = 0;

	array_sort(l->samples, l->n, sizeof(*l->samples), compare_vcpus);
	for (size_t i = 0; rc == 0 && i < l->n; i++) {
		const struct last_sample *last = &l->samples[i];
		const uint8_t arch = vcpu_arch(r, &last->sample);

		fputs(i ? "\n" : "", r->out.file);
		vcpu_print(r, &last->sample);
		fprintf(r->out.file, ", %s\n", last->mode);
		domain_state_print(r, &l->domains, last->domain);
		rc = stack_print(r, &chain, &last->sample, last->node,
		                 arch == UPF_ARCH_X86_32 || arch == UPF_ARCH_ARM32 ? 8 : 16);
	}
	callchain_free(&chain);
	return rc;
}

static int run_last(const struct report *r, struct view_result *found)
{
	struct look l = {.report = r};
	const struct load_hooks hooks = {.ctx = &l, .flushed = r->out.file, .record = look_at_record};
	int rc = view_load(r, &hooks);

	if (rc == 0)
		rc = print_all(&l);
	if (l.n == 0)
		found->lacks = "it has no samples";
	domain_states_free(&l.domains);
	hash_array_free(&l.by_vcpu);
	if (rc == 0)
		view_notes(r, NULL);
	return rc;
}

const struct view view_last = {
	.name = "last",
	.help = "the last sample of each vCPU: its state and its stack, as uniprof-record --dump shows a guest",
	.states = STATES_ALL,
	.takes = VIEW_CONFINED,
	.run = run_last,
};
