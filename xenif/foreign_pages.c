/* SPDX-License-Identifier: BSD-2-Clause */
/* A guest's memory, by libxenforeignmemory. */
#include "xenif/domctl.h" /* first: Xen's headers want __XEN_TOOLS__ */

#include <string.h>
#include <sys/mman.h>

#include "common/array.h"

/*
 * All by one call, which costs more than the pages do. Each has its own error; the call may succeed with none
 * mapped.
 */
int foreign_map(struct guest *g, const uint64_t *frames, size_t n, const void **pages)
{
	xen_pfn_t pfns[GUEST_MAP_MAX] = {0};
	int errors[GUEST_MAP_MAX] = {0}, rc = array_room(&g->regions, &g->room, g->nregions, sizeof(*g->regions));
	struct region r = {.pages = n};

	if (rc != 0)
		return rc;
	for (size_t i = 0; i < n; i++)
		pfns[i] = frames[i];
	r.begin = xenforeignmemory_map(g->x->memory, g->domid, PROT_READ, n, pfns, errors);
	for (size_t i = 0; i < n; i++) {
		pages[i] = r.begin && errors[i] == 0 ? r.begin + i * GUEST_PAGE_SIZE : NULL;
		r.left += pages[i] != NULL;
	}
	if (r.left > 0)
		g->regions[g->nregions++] = r;
	else if (r.begin)
		xenforeignmemory_unmap(g->x->memory, r.begin, n);
	return 0;
}

/* Pages are unmapped in the order in which they were mapped, if all are, so the search ends at once. */
void foreign_unmap(struct guest *g, const void *page)
{
	size_t at = (uintptr_t)page, i = 0;
	struct region *r;

	while (i < g->nregions && at - (uintptr_t)g->regions[i].begin >= g->regions[i].pages * GUEST_PAGE_SIZE)
		i++;
	if (i == g->nregions || --g->regions[i].left > 0)
		return;
	r = &g->regions[i];
	xenforeignmemory_unmap(g->x->memory, r->begin, r->pages);
	memmove(r, r + 1, (--g->nregions - i) * sizeof(*r));
}
