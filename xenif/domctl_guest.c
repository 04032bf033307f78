/* SPDX-License-Identifier: BSD-2-Clause */
/* A guest, the buffer of its calls, and which vCPUs are read. */
#include "xenif/domctl.h" /* first: Xen's headers want __XEN_TOOLS__ */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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
