/* SPDX-License-Identifier: BSD-2-Clause */
#include "record/cli/patterns.h"

#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/say.h"
#include "record/cli/choose.h"

static bool is_pattern(const char *operand)
{
	return strpbrk(operand, "*?[") != NULL;
}

/* 0 or a negative errno. */
static int add(struct names *names, const char *name)
{
	char *copy = strdup(name);
	int rc = copy ? array_add(names->of, names->cap, names->n, copy) : -ENOMEM;

	if (rc != 0)
		free(copy);
	return rc;
}

/* By its name, or by its number. */
static bool is_there(const struct names *names, const struct connection *c, const char *name, const char *number)
{
	for (size_t i = 0; i < names->n; i++) {
		const char *of = connect_without_prefix(c, names->of[i]);

		if (of && (strcmp(of, name) == 0 || strcmp(of, number) == 0))
			return true;
	}
	return false;
}

static bool is_excluded(const struct options *o, const char *name)
{
	for (size_t i = 0; i < o->nexcluded; i++)
		if (fnmatch(o->excluded[i], name, 0) == 0)
			return true;
	return false;
}

/* Domains that a pattern matches. */
struct matches {
	size_t all, recordable;
};

/* Adds a domain by its name, or by its number if others have that name. 0 or a negative errno. */
static int add_domain(struct names *names, const struct options *o, const struct connection *c,
                      struct guest_info *domain, const char *name, struct matches *found)
{
	char text[OBSTACLE_SIZE], number[16], operand[192];
	const uint32_t domid = domain->domid;
	struct guest_info same;
	const char *reason;

	found->all++;
	snprintf(number, sizeof(number), "%" PRIu32, domid);
	if (is_there(names, c, name, number)) {
		found->recordable++;
		return 0;
	}
	reason = choose_obstacle(c->ops, c->x, domain, o->look, text, NULL);
	if (reason) {
		say("%s (%s) is not recorded: %s", name, number, reason);
		return 0;
	}
	found->recordable++;
	snprintf(operand, sizeof(operand), "%s:%s", c->ops->prefix,
	         target_find(c->ops, c->x, name, &same) == 0 && same.domid == domid ? name : number);
	return add(names, operand);
}

/* Adds the domains of one hypervisor that @pattern matches. 0 or a negative errno. */
static int add_matching(struct names *names, const struct options *o, const struct connection *c, const char *pattern,
                        struct matches *found)
{
	struct guest_info *domains;
	size_t n;
	int rc = c->ops->host.list(c->x, NULL, &domains, &n);

	if (rc != 0)
		return rc;
	for (size_t i = 0; rc == 0 && i < n; i++) {
		char name[128];

		if (domains[i].domid == c->ops->host.own_domid(c->x) ||
		    c->ops->host.domain_name(c->x, domains[i].domid, name, sizeof(name)) != 0 ||
		    fnmatch(pattern, name, 0) != 0 || is_excluded(o, name))
			continue;
		rc = add_domain(names, o, c, &domains[i], name, found);
	}
	free(domains);
	return rc;
}

static int expand(struct names *names, const struct options *o, const struct connection *all, size_t nall,
                  const char *pattern, char *why, size_t size)
{
	struct matches found = {0};
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < nall; i++) {
		const char *of_this = connect_without_prefix(&all[i], pattern);

		if (of_this)
			rc = add_matching(names, o, &all[i], of_this, &found);
	}
	if (rc != 0)
		return failure(why, size, EXIT_HYPERVISOR, "cannot list the domains: %s", strerror(-rc));
	if (found.recordable)
		return 0;
	return failure(why, size, EXIT_DOMAIN, "%s: %s; --list shows %s", pattern,
	               found.all ? "no such domain can be recorded" : "no domain has such a name",
	               found.all ? "why" : "them");
}

int patterns_expand(struct names *names, const struct options *o, const struct connection *all, size_t nall,
                    char *const *operands, size_t n, char *why, size_t size)
{
	int rc = 0;

	for (size_t i = 0; i < n; i++)
		if (!is_pattern(operands[i]) && add(names, operands[i]) != 0)
			return failure(why, size, EXIT_CUT_SHORT, "out of memory");
	for (size_t i = 0; rc == 0 && i < n; i++)
		if (is_pattern(operands[i]))
			rc = expand(names, o, all, nall, operands[i], why, size);
	return rc == 0 && o->all ? expand(names, o, all, nall, "*", why, size) : rc;
}

void names_free(struct names *names)
{
	for (size_t i = 0; i < names->n; i++)
		free(names->of[i]);
	free(names->of);
}
