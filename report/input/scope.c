/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/input/scope.h"

#include <inttypes.h>
#include <string.h>

static uint64_t bound_ns(const struct time_bound *b, uint64_t length_ns, uint64_t otherwise)
{
	if (!b->given)
		return otherwise;
	return b->is_share ? (uint64_t)((unsigned __int128)length_ns * b->n / SHARE_WHOLE) : b->n;
}

bool domain_is_called(const struct upf_domain *d, const char *text, size_t len)
{
	char id[16];

	if (d->name && strlen(d->name) == len && memcmp(d->name, text, len) == 0)
		return true;
	return snprintf(id, sizeof(id), "%" PRIu32, d->id) == (int)len && memcmp(id, text, len) == 0;
}

static bool take_domain(struct scope *scope, const struct upf_session *session, const char *text, size_t len)
{
	bool found = false;

	for (size_t i = 0; i < session->ndomains && i < UPF_DOMAINS_MAX; i++) {
		if (!domain_is_called(&session->domains[i], text, len))
			continue;
		scope->domains[i / 64] |= 1ull << i % 64;
		found = true;
	}
	return found;
}

void scope_no_domain(const struct upf_session *session, const char *option, const char *text, size_t len, char *why,
                     size_t size)
{
	char first[128] = "none";

	if (session->ndomains)
		domain_text(session, 0, first, sizeof(first));
	snprintf(why, size, "%s: no '%.*s' in the trace, but %s%s; --header shows all", option,
	         len < 100 ? (int)len : 100, text, first, session->ndomains > 1 ? " and others" : "");
}

/* A name may hold a comma: the whole is looked for first, then each part. */
static int take_domains(struct scope *scope, const struct upf_session *session, const char *list, char *why,
                        size_t size)
{
	int rc = 0;

	if (take_domain(scope, session, list, strlen(list)))
		return 0;
	for (;;) {
		size_t len = strcspn(list, ",");

		if (!take_domain(scope, session, list, len) && rc == 0) {
			scope_no_domain(session, "--domain", list, len, why, size);
			rc = -1;
		}
		if (list[len] == '\0')
			return rc;
		list += len + 1;
	}
}

int scope_make(struct scope *scope, const struct selection *selection, const struct upf_session *session,
               uint64_t length_ns, char *why, size_t size)
{
	int rc = 0;

	*scope = (struct scope){.selection = selection, .some_domains = selection->ndomains > 0};
	scope->from_ns = bound_ns(&selection->from, length_ns, 0);
	scope->to_ns = bound_ns(&selection->to, length_ns, UINT64_MAX);
	/* The last record is at the very end. */
	if (selection->to.is_share && selection->to.n == SHARE_WHOLE)
		scope->to_ns = UINT64_MAX;
	scope->some = scope->from_ns || scope->to_ns != UINT64_MAX || scope->some_domains || selection->some_vcpus;
	for (size_t i = 0; i < selection->ndomains; i++)
		if (take_domains(scope, session, selection->domains[i], why, size) != 0)
			rc = -1;
	return rc;
}

static bool has_bit(const uint64_t *set, uint32_t bits, uint32_t n)
{
	return n < bits && (set[n / 64] >> n % 64 & 1);
}

bool scope_is_covered(const struct scope *scope, const struct upf_record *rec)
{
	for (size_t i = 0; i < scope->ncovered; i++) {
		const struct scope_span *c = &scope->covered[i];

		if (c->domain == rec->domain && rec->time_ns >= c->from_ns && rec->time_ns <= c->to_ns)
			return true;
	}
	return false;
}

bool scope_has_some(const struct scope *scope, const struct upf_record *rec)
{
	const struct selection *s = scope->selection;
	uint64_t time_ns = rec->time_ns + scope->later_ns;

	if (time_ns < scope->from_ns || time_ns >= scope->to_ns)
		return false;
	if (scope->some_domains && !has_bit(scope->domains, UPF_DOMAINS_MAX, rec->domain))
		return false;
	if (scope->ncovered && scope_is_covered(scope, rec))
		return false;
	return (rec->kind != UPF_SAMPLE && rec->kind != UPF_REGISTERS) || !s->some_vcpus ||
	       has_bit(s->vcpus, UPF_VCPUS_MAX, rec->vcpu);
}

bool scope_has_domain(const struct scope *scope, uint32_t domain)
{
	if (!scope->domain_map)
		return !scope->some_domains || has_bit(scope->domains, UPF_DOMAINS_MAX, domain);
	for (uint32_t i = 0; i < scope->nmapped; i++)
		if (scope->domain_map[i] == domain &&
		    (!scope->some_domains || has_bit(scope->domains, UPF_DOMAINS_MAX, i)))
			return true;
	return false;
}

void domain_text(const struct upf_session *session, uint32_t domain, char *text, size_t size)
{
	if (domain < session->ndomains && session->domains[domain].name)
		snprintf(text, size, "%s", session->domains[domain].name);
	else if (domain < session->ndomains)
		snprintf(text, size, "[domain %u]", session->domains[domain].id);
	else
		snprintf(text, size, "[unknown domain %u]", domain);
}
