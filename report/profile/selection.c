/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/profile/selection.h"
#include "common/parse.h"
#include "common/hash_table.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define SHARE_WHOLE 1000000u

/* --- time -------------------------------------------------------------------------------------------------------- */

static bool is_zero(const char *text)
{
	return *text == '0' && strspn(text, "0.s") == strlen(text);
}

/* "" (not given), "10%", or a duration. */
static int parse_bound(const char *text, struct time_bound *bound)
{
	size_t len = strlen(text);

	*bound = (struct time_bound){.given = len != 0};
	if (len == 0 || is_zero(text))
		return 0;
	if (text[len - 1] == '%') {
		char number[32];

		if (len > sizeof(number))
			return -EINVAL;
		memcpy(number, text, len - 1);
		number[len - 1] = '\0';
		bound->is_share = true;
		/* A duration's seconds are billionths; parts in a million of 100 are hundred thousandths of it. */
		if (!is_zero(number) &&
		    (strspn(number, "0123456789.") != len - 1 || parse_duration(number, &bound->n) != 0))
			return -EINVAL;
		bound->n /= 100000;
		return bound->n > SHARE_WHOLE ? -EINVAL : 0;
	}
	return parse_duration(text, &bound->n);
}

/* "10%/2": the second tenth. */
static int parse_slice(struct selection *s, const char *share, const char *number)
{
	uint64_t n;

	if (parse_bound(share, &s->from) != 0 || !s->from.is_share || s->from.n == 0 ||
	    parse_u64(number, 1, SHARE_WHOLE, &n) != 0 || s->from.n * (n - 1) >= SHARE_WHOLE)
		return -EINVAL;
	s->to = s->from;
	s->to.n *= n;
	s->from.n *= n - 1;
	return 0;
}

static bool is_backwards(const struct selection *s)
{
	return s->from.given && s->to.given && s->from.is_share == s->to.is_share && s->from.n >= s->to.n;
}

int selection_time(struct selection *s, const char *value, char *why, size_t size)
{
	size_t first = strcspn(value, ",/");
	char from[64];
	int rc = -EINVAL;

	if (first < sizeof(from) && value[first] != '\0' && value[1] != '\0') {
		memcpy(from, value, first);
		from[first] = '\0';
		if (value[first] == '/')
			rc = parse_slice(s, from, value + first + 1);
		else if (parse_bound(from, &s->from) == 0)
			rc = parse_bound(value + first + 1, &s->to);
	}
	if (rc != 0)
		snprintf(why, size, "FROM,TO is needed, as 1.5,3 or 500ms, or 10%%,20%%; or a slice, as 10%%/2");
	else if (is_backwards(s))
		snprintf(why, size, "it ends where it begins, or before");
	return rc == 0 && !is_backwards(s) ? 0 : -1;
}

/* --- vCPUs and domains ------------------------------------------------------------------------------------------- */

int selection_vcpus(struct selection *s, const char *value, char *why, size_t size)
{
	s->some_vcpus = true;
	if (parse_list(value, s->vcpus, UPF_VCPUS_MAX) == 0)
		return 0;
	snprintf(why, size, "a list of vCPUs from 0 to %u is needed, as 0,2-5", UPF_VCPUS_MAX - 1);
	return -1;
}

int selection_domains(struct selection *s, const char *value, char *why, size_t size)
{
	if (*value == '\0') {
		snprintf(why, size, "a domain's name or number is needed, or a list of them");
		return -1;
	}
	if (array_room(&s->domains, &s->domains_cap, s->ndomains, sizeof(*s->domains)) != 0) {
		snprintf(why, size, "out of memory");
		return -1;
	}
	s->domains[s->ndomains++] = value;
	return 0;
}

void selection_free(struct selection *s)
{
	patterns_free(&s->focus);
	patterns_free(&s->ignore);
	patterns_free(&s->hide);
	patterns_free(&s->show_from);
	free(s->domains);
	s->domains = NULL;
	s->ndomains = s->domains_cap = 0;
}

bool selection_by_record(const struct selection *s)
{
	return s->from.given || s->to.given || s->some_vcpus || s->ndomains;
}

bool selection_by_name(const struct selection *s)
{
	return s->focus.n || s->ignore.n || s->hide.n || s->show_from.n;
}

bool selection_needs_length(const struct selection *s)
{
	return s->from.is_share || s->to.is_share;
}

/* --- one trace --------------------------------------------------------------------------------------------------- */

static uint64_t bound_ns(const struct time_bound *b, uint64_t length_ns, uint64_t otherwise)
{
	if (!b->given)
		return otherwise;
	return b->is_share ? (uint64_t)((unsigned __int128)length_ns * b->n / SHARE_WHOLE) : b->n;
}

static bool is_called(const struct upf_domain *d, const char *text, size_t len)
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
		if (!is_called(&session->domains[i], text, len))
			continue;
		scope->domains[i / 64] |= 1ull << i % 64;
		found = true;
	}
	return found;
}

static void no_domain(const struct upf_session *session, const char *text, size_t len, char *why, size_t size)
{
	char first[128] = "none";

	if (session->ndomains)
		domain_text(session, 0, first, sizeof(first));
	snprintf(why, size, "--domain: no '%.*s' in the trace, but %s%s; --header shows all",
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
			no_domain(session, list, len, why, size);
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
	/* The last record stands at the very end. */
	if (selection->to.is_share && selection->to.n == SHARE_WHOLE)
		scope->to_ns = UINT64_MAX;
	for (size_t i = 0; i < selection->ndomains; i++)
		if (take_domains(scope, session, selection->domains[i], why, size) != 0)
			rc = -1;
	return rc;
}

static bool has_bit(const uint64_t *set, uint32_t bits, uint32_t n)
{
	return n < bits && (set[n / 64] >> n % 64 & 1);
}

bool scope_has(const struct scope *scope, const struct upf_record *rec)
{
	const struct selection *s = scope->selection;
	uint64_t time_ns = rec->time_ns + scope->later_ns;

	if (time_ns < scope->from_ns || time_ns >= scope->to_ns)
		return false;
	if (scope->some_domains && !has_bit(scope->domains, UPF_DOMAINS_MAX, rec->domain))
		return false;
	return rec->kind != UPF_SAMPLE || !s->some_vcpus || has_bit(s->vcpus, UPF_VCPUS_MAX, rec->vcpu);
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

void scope_place(const struct scope *scope, struct upf_record *rec)
{
	rec->time_ns += scope->later_ns;
	if (!scope->domain_map)
		return;
	rec->domain = rec->domain < scope->nmapped ? scope->domain_map[rec->domain] : scope->unmapped + rec->domain;
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
