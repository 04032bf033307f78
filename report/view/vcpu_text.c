/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/view/vcpu_text.h"

#include <inttypes.h>

#include "common/say.h"
#include "report/unwind/unwind.h"

int domain_states_note(struct domain_states *s, const struct upf_record *event)
{
	struct domain_state *d;
	int rc = array_room_zeroed(&s->of, &s->n, event->domain, sizeof(*s->of));

	if (rc != 0)
		return rc;
	d = &s->of[event->domain];
	if (event->code == UPF_EVENT_PAUSED || event->code == UPF_EVENT_RESUMED)
		d->paused = event->code == UPF_EVENT_PAUSED;
	if (event->code == UPF_EVENT_SHUTDOWN) {
		d->shut_down = true;
		d->code = event->count;
	}
	if (event->code == UPF_EVENT_REBOOT)
		d->shut_down = false;
	return 0;
}

void domain_states_free(struct domain_states *s)
{
	free(s->of);
}

/* Xen's SHUTDOWN_ codes (xen/include/public/sched.h). */
static const char *shutdown_text(uint64_t code)
{
	static const char *const text[] = {"powered off", "shut down to reboot",          "suspended",
	                                   "crashed",     "been stopped by its watchdog", "been reset"};

	return code < sizeof(text) / sizeof(text[0]) ? text[code] : "shut down";
}

void domain_state_print(const struct report *r, const struct domain_states *s, uint32_t domain)
{
	const struct domain_state *d = domain < s->n ? &s->of[domain] : NULL;

	if (d && d->shut_down)
		fprintf(r->out.file, "The domain had %s.\n", shutdown_text(d->code));
	else if (d && d->paused)
		fputs("The domain was paused by another program.\n", r->out.file);
}

uint8_t vcpu_arch(const struct report *r, const struct upf_record *sample)
{
	const struct upf_session *session = &r->run->traces.session;

	if (sample->mode)
		return sample->mode;
	return sample->domain < session->ndomains ? session->domains[sample->domain].arch : UPF_ARCH_UNKNOWN;
}

void vcpu_print(const struct report *r, const struct upf_record *sample)
{
	const struct upf_session *session = &r->run->traces.session;
	char name[256];

	domain_text(session, sample->domain, name, sizeof(name));
	print_safe(r->out.file, name);
	if (sample->domain < session->ndomains)
		fprintf(r->out.file, " (%" PRIu32 ", %s)", session->domains[sample->domain].id,
		        upf_kind_text(session->domains[sample->domain].kind));
	fprintf(r->out.file, ", vCPU %" PRIu32 ", %.6f s: %s", sample->vcpu, (double)sample->time_ns / 1e9,
	        upf_state_text(sample->state));
}

int stack_print(const struct report *r, struct callchain *chain, const struct upf_record *sample, uint32_t node,
                int digits)
{
	FILE *out = r->out.file;
	int rc = filter_callchain(chain, &r->run->profile, &r->run->names, node, sample->user);

	if (rc != 0)
		return rc;
	for (size_t i = chain->n, n = 0; i-- > 0; n++) {
		const struct callchain_frame *f = &chain->frames[i];
		const struct function *function = &r->run->names.functions[f->function];

		fprintf(out, "  #%-3zu %0*" PRIx64, n, digits, f->address);
		if (function->named)
			fprintf(out, "  %s+%#" PRIx64 "%s", function->name, f->offset, f->inlined ? " (inlined)" : "");
		if (f->file)
			fprintf(out, "  %s:%" PRIu32, f->file, f->line);
		fputc('\n', out);
	}
	if (sample->end != UPF_END_ROOT)
		fprintf(out, "  ends here: %s\n", chain_end_text(sample->end));
	return 0;
}
