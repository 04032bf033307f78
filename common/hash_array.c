/* SPDX-License-Identifier: BSD-2-Clause */
#include "common/hash_array.h"

#include <stdlib.h>

void hash_array_clear(struct hash_array *a)
{
	a->n = 0;
	hash_table_clear(&a->table);
}

void hash_array_free(struct hash_array *a)
{
	free(a->elements);
	hash_table_free(&a->table);
	*a = (struct hash_array){0};
}
