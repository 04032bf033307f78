/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/input/selection.h"
#include "common/parse.h"
#include "common/hash_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* --- patterns ---------------------------------------------------------------------------------------------------- */

int patterns_add(struct patterns *p, const char *expression, char *why, size_t size)
{
	int rc;

	if (*expression == '\0') {
		snprintf(why, size, "a regular expression is needed");
		return -1;
	}
	if (array_room(&p->expressions, &p->cap, p->n, sizeof(*p->expressions)) != 0) {
		snprintf(why, size, "out of memory");
		return -1;
	}
	rc = regcomp(&p->expressions[p->n], expression, REG_EXTENDED | REG_NOSUB);
	if (rc != 0) {
		char reason[128];

		regerror(rc, &p->expressions[p->n], reason, sizeof(reason));
		snprintf(why, size, "not a regular expression: %s", reason);
		return -1;
	}
	p->n++;
	return 0;
}

void patterns_free(struct patterns *p)
{
	for (size_t i = 0; i < p->n; i++)
		regfree(&p->expressions[i]);
	free(p->expressions);
	*p = (struct patterns){0};
}

bool patterns_match(const struct patterns *p, const char *name)
{
	for (size_t i = 0; i < p->n; i++)
		if (regexec(&p->expressions[i], name, 0, NULL, 0) == 0)
			return true;
	return false;
}

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
