/* SPDX-License-Identifier: BSD-2-Clause */
/* A guest, the buffer of its calls, which vCPUs are read, and its memory. */
#include "xenif/domctl.h" /* first: Xen's headers want __XEN_TOOLS__ */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "common/array.h"

static size_t align_word(size_t n)
{
	return (n + 63) & ~(size_t)63;
}

/* Where in the buffer each part begins; the list is first. */
struct layout {
	size_t ops, mark, contexts, size;
};

static struct layout stop_layout(const struct guest *g)
{
	size_t entries = 2 + 2 * (size_t)g->vcpus + g->nwanted;
	struct layout l;

	l.ops = align_word(entries * sizeof(*g->list));
	l.mark = l.ops + align_word(entries * sizeof(*g->ops));
	l.contexts = l.mark + align_word(sizeof(*g->mark));
	l.size = l.contexts + g->nwanted * abi_context_size;
	return l;
}

static int make_buffer(struct guest *g)
{
	struct layout l = stop_layout(g);
	uint8_t *buffer = xencall_alloc_buffer(g->x->call, l.size);

	if (!buffer)
		return -ENOMEM;
	g->buffer = buffer;
	g->list = (void *)buffer;
	g->ops = (void *)(buffer + l.ops);
	g->mark = (void *)(buffer + l.mark);
	g->contexts = buffer + l.contexts;
	memset(g->mark, 0, sizeof(*g->mark));
	return 0;
}

static int choose_registers(struct guest *g, const uint64_t *wanted)
{
	g->wanted = calloc(g->vcpus, sizeof(*g->wanted));
	g->asleep = calloc(g->vcpus / 64 + 1, sizeof(*g->asleep));
	if (!g->wanted || !g->asleep)
		return -ENOMEM;
	for (uint32_t v = 0; v < g->vcpus; v++)
		if (vcpu_is_in(wanted, v))
			g->wanted[g->nwanted++] = v;
	return 0;
}

void domctl_detach(struct guest *g)
{
	if (!g)
		return;
	if (g->buffer)
		xencall_free_buffer(g->x->call, g->buffer);
	free(g->wanted);
	free(g->asleep);
	free(g->regions);
	free(g);
}

void domctl_ask_context(const struct guest *g, struct xen_domctl *op, uint32_t vcpu, uint32_t i)
{
	domctl_fill(g->x, op, 0, g->domid);
	abi_ask(op, g->kind, vcpu, g->contexts + i * abi_context_size);
}

/* Of a PV guest, Xen tells the word size, which never changes; of other ones the registers tell. */
static int find_arch(struct guest *g)
{
	struct xen_domctl *op = g->x->op;
	int rc;

	if (g->kind != GUEST_PV) {
		domctl_ask_context(g, op, 0, 0);
		g->arch = abi_arch(g->kind, 0, domctl_call(g->x, op) == 0 ? g->contexts : NULL);
		return 0;
	}
	domctl_fill(g->x, op, XEN_DOMCTL_get_address_size, g->domid);
	rc = domctl_call(g->x, op);
	if (rc == 0)
		g->arch = abi_arch(g->kind, op->u.address_size.size, NULL);
	return rc;
}

struct guest *domctl_attach(struct hypervisor *x, const struct guest_info *info, const uint64_t *wanted,
                            enum attach_purpose purpose)
{
	struct guest *g = calloc(1, sizeof(*g));
	int rc = -ENOMEM;

	(void)purpose;
	x->tried.error = 0;
	if (g) {
		g->x = x;
		g->domid = info->domid;
		g->vcpus = info->vcpus;
		g->kind = info->kind;
		rc = choose_registers(g, wanted);
	}
	if (rc == 0)
		rc = make_buffer(g);
	if (rc == 0)
		rc = find_arch(g);
	if (rc != 0) {
		domctl_detach(g);
		errno = -rc;
		return NULL;
	}
	return g;
}

/* --- its memory, by libxenforeignmemory --------------------------------------------------------------------------- */

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
