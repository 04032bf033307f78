/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/input/patterns.h"
#include "common/hash_table.h"

#include <stdio.h>
#include <stdlib.h>

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
