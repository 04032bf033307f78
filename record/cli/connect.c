/* SPDX-License-Identifier: BSD-2-Clause */
#include "record/cli/connect.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "record/sampling/target.h"

size_t connect_all(struct connection all[CONNECTIONS_MAX], char *why, size_t size)
{
	size_t n = 0, used = 0;

	for (size_t i = 0; hypervisors[i] && n < CONNECTIONS_MAX; i++) {
		char reason[512];

		all[n].ops = hypervisors[i];
		all[n].x = hypervisors[i]->host.open(reason, sizeof(reason));
		if (all[n].x)
			n++;
		else if (used < size)
			used += (size_t)snprintf(why + used, size - used, "%s%s", used ? "; " : "", reason);
	}
	return n;
}

void connect_close(struct connection *all, size_t n)
{
	for (size_t i = 0; i < n; i++)
		all[i].ops->host.close(all[i].x);
}

static bool has_prefix(const struct hypervisor_ops *ops, const char *operand)
{
	size_t len = strlen(ops->prefix);

	return strncmp(operand, ops->prefix, len) == 0 && operand[len] == ':';
}

const char *connect_without_prefix(const struct connection *c, const char *operand)
{
	if (has_prefix(c->ops, operand))
		return operand + strlen(c->ops->prefix) + 1;
	for (size_t i = 0; hypervisors[i]; i++)
		if (has_prefix(hypervisors[i], operand))
			return NULL;
	return operand;
}

/* The one whose prefix @operand has, which is taken off; NULL: it has none. */
static const struct connection *by_prefix(const struct connection *all, size_t n, char **operand)
{
	for (size_t i = 0; i < n; i++)
		if (has_prefix(all[i].ops, *operand)) {
			*operand += strlen(all[i].ops->prefix) + 1;
			return &all[i];
		}
	return NULL;
}

/* Does @operand have the prefix of a hypervisor that could not be connected to? @why says why not. */
static bool is_missing(const char *operand, char *why, size_t size)
{
	for (size_t i = 0; hypervisors[i]; i++) {
		struct hypervisor *x;

		if (!has_prefix(hypervisors[i], operand))
			continue;
		x = hypervisors[i]->host.open(why, size);
		if (!x)
			return true;
		hypervisors[i]->host.close(x);
	}
	return false;
}

/* The one that has this guest. The first one, if none has; NULL: several have. */
static const struct connection *by_guest(const struct connection *all, size_t n, const char *operand)
{
	const struct connection *found = NULL;

	for (size_t i = 0; i < n; i++) {
		struct guest_info info;
		int rc = n > 1 ? target_find(all[i].ops, all[i].x, operand, &info) : 0;

		if (rc != 0 && rc != -EINVAL)
			continue;
		if (found)
			return NULL;
		found = &all[i];
	}
	return found ? found : &all[0];
}

const struct connection *connect_choose(const struct connection *all, size_t n, char **operands, size_t count,
                                        char *why, size_t size)
{
	const struct connection *chosen = NULL;
	char reason[512];

	for (size_t i = 0; i < count; i++) {
		const char *given = operands[i];
		const struct connection *c = by_prefix(all, n, &operands[i]);

		if (!c && is_missing(given, reason, sizeof(reason))) {
			snprintf(why, size, "%s: %s", given, reason);
			return NULL;
		}
		if (!c)
			c = by_guest(all, n, operands[i]);
		if (!c) {
			snprintf(why, size, "%s: more than one hypervisor has such a guest: say %s:%s or %s:%s", given,
			         all[0].ops->prefix, given, all[1].ops->prefix, given);
			return NULL;
		}
		if (chosen && c != chosen) {
			snprintf(why, size,
			         "%s: all guests of a recording must be on one hypervisor, not on %s and %s", given,
			         chosen->ops->prefix, c->ops->prefix);
			return NULL;
		}
		chosen = c;
	}
	return count ? chosen : &all[0];
}
