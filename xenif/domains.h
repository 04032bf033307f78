/* SPDX-License-Identifier: BSD-2-Clause */
/* domains.h - lists the domains of a host by few hypercalls. */
#ifndef XENIF_DOMAINS_H
#define XENIF_DOMAINS_H

#include <stdbool.h>

#include "guest/hypervisor.h"
#include "xenif/xenstore.h"

/*
 * Asks for domain @domid: 0 or a negative errno, -ESRCH if there is none. Some versions of Xen answer with the next
 * higher domain instead.
 */
typedef int domain_query(struct hypervisor *x, uint32_t domid, struct guest_info *info);

/*
 * As list() of struct hypervisor_ops. @finds_next: @query answers with the next higher domain, so that each call finds
 * one. Else the numbers come from @store, and a domain that xenstore does not know is not listed; without a xenstore
 * every number is asked for, 32,752 calls.
 */
int domains_list(struct hypervisor *x, domain_query *query, bool finds_next, struct xenstore *store,
                 struct guest_info **domains, size_t *n);

#endif
