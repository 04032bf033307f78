/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * domctl.h - private to the backend by libxencall: xencall.c is the connection, domctl_guest.c opens a guest and maps
 * its memory, domctl_stop.c stops it.
 */
#ifndef XENIF_DOMCTL_H
#define XENIF_DOMCTL_H

#include "xenif/abi.h" /* first: Xen's headers want __XEN_TOOLS__ */

#include <xencall.h>
#include <xenforeignmemory.h>
#include <xentoollog.h>

#include "guest/hypervisor.h"
#include "guest/tried.h"

struct hypervisor {
	xencall_handle *call;
	xenforeignmemory_handle *memory;
	struct xenstore *names;
	struct xentoollog_logger logger;
	struct xen_domctl *op;    /* for single calls */
	multicall_entry_t *batch; /* for info(): BATCH of them */
	uint32_t interface;       /* version of the domctl interface */
	bool finds_next;          /* struct domctl_version */
	struct tried tried;
	char version[64];
};

/*
 * Xen itself writes the two answers in the calls that pause and resume, and a process is neither killed nor stopped
 * inside a hypercall: so they are right whenever somebody looks.
 */
struct mark {
	struct xen_domctl paused;  /* a query behind the pause; answered: the pause is in force */
	multicall_entry_t resumed; /* the call that resumes; its result */
	struct xen_domctl unpause; /* what that call asks for; Xen reads it when it carries out the call */
};
_Static_assert(sizeof(struct mark) <= sizeof(struct pause_mark), "a mark fits");

/* Where each part of a guest's list begins. */
struct parts {
	size_t info, before, pause, contexts, after, end;
};

/* Pages mapped by one call, which only one call can unmap. */
struct region {
	uint8_t *begin;
	size_t pages;
	size_t left; /* of those that were mapped */
};

struct guest {
	struct hypervisor *x;
	uint32_t domid, vcpus, nwanted;
	uint32_t *wanted; /* vCPU numbers whose registers are read */
	enum guest_kind kind;
	enum arch_id arch;
	/* Parts of one buffer that never causes a page fault, as hypercalls need it: */
	void *buffer;
	multicall_entry_t *list;
	struct xen_domctl *ops; /* one for each entry of the list */
	uint8_t *contexts;      /* of the wanted vCPUs, abi_context_size each */
	struct mark *mark;
	uint64_t *asleep;       /* bits: not asked for registers this time */
	struct region *regions; /* of mapped pages, as they were mapped */
	size_t nregions, room;
	struct parts parts; /* of the list */
};

/* Makes @op a call of @cmd for a domain. */
void domctl_fill(const struct hypervisor *x, struct xen_domctl *op, uint32_t cmd, uint32_t domid);
/* Makes that call. 0, or a negative errno. */
int domctl_call(struct hypervisor *x, struct xen_domctl *op);
/* Returns @rc, the result of the call @op, and notes what it was if that is a negative errno. */
int domctl_tried(struct hypervisor *x, int rc, const struct xen_domctl *op);
/* Makes @entry one that asks for @op. */
void domctl_enter(multicall_entry_t *entry, struct xen_domctl *op);
/* Makes @op the call that asks for the registers of @vcpu, written to the place of the @i-th wanted one. */
void domctl_ask_context(const struct guest *g, struct xen_domctl *op, uint32_t vcpu, uint32_t i);

/* Of struct hypervisor_ops. */
struct guest *domctl_attach(struct hypervisor *x, const struct guest_info *info, const uint64_t *wanted,
                            enum attach_purpose purpose);
void domctl_detach(struct guest *g);
void domctl_prepare(struct guest *g, const uint64_t *asleep);
int domctl_stop(struct guest *g, struct pause_span *span);
void domctl_collect(struct guest *g, struct guest_info *info, struct vcpu_stop *vcpus);
void domctl_registers(struct guest *g, uint32_t vcpu, struct register_set *set);
int domctl_resume(struct guest *g);
void domctl_mark_at(struct guest *g, struct pause_mark *m, const struct stop_guard *guard);
bool domctl_is_marked(const struct pause_mark *m, bool dead);
bool domctl_cancel_resume(struct pause_mark *m);
int domctl_peek(struct guest *g, uint32_t vcpu, struct vcpu_regs *regs);
int foreign_map(struct guest *g, const uint64_t *frames, size_t n, const void **pages);
void foreign_unmap(struct guest *g, const void *page);

#endif
