/* SPDX-License-Identifier: BSD-2-Clause */
#include "common/string_table.h"
#include "common/say.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Takes over @text. */
static int add_text(struct strings *s, char *text, uint32_t *id)
{
	uint32_t hash = hash_table_hash_text(&s->index, text, strlen(text));
	int rc;

	for (size_t at = hash_table_first(&s->index, hash); hash_table_id(&s->index, &at, hash, id);
	     at = hash_table_next(&s->index, at)) {
		if (strcmp(s->texts[*id], text) == 0) {
			free(text);
			return 0;
		}
	}
	rc = s->n < UINT32_MAX - 1 ? array_add(s->texts, s->cap, s->n, text) : -EOVERFLOW;
	if (rc != 0) {
		free(text);
		return rc;
	}
	*id = (uint32_t)s->n - 1;
	hash_table_add(&s->index, hash, *id);
	return 0;
}

int strings_add(struct strings *s, const char *text, uint32_t *id)
{
	int rc = hash_table_reserve(&s->index);
	char *copy = rc == 0 ? safe_text(text) : NULL;

	return copy ? add_text(s, copy, id) : -ENOMEM;
}

void strings_free(struct strings *s)
{
	for (size_t i = 0; i < s->n; i++)
		free(s->texts[i]);
	free(s->texts);
	hash_table_free(&s->index);
	*s = (struct strings){0};
}
