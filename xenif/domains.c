/* SPDX-License-Identifier: BSD-2-Clause */
#include "xenif/domains.h"
#include "common/array.h"

#include <errno.h>
#include <stdlib.h>

#include <xen/xen.h>

struct list {
	struct guest_info *domains;
	size_t n, room;
};

/* Every answer is the next domain. */
static int walk_domains(struct list *l, struct hypervisor *x, domain_query *query)
{
	struct guest_info info;
	int rc = 0;

	for (uint32_t d = 0; rc == 0 && d < DOMID_FIRST_RESERVED; d = info.domid + 1) {
		rc = query(x, d, &info);
		if (rc == 0)
			rc = array_add(l->domains, l->room, l->n, info);
	}
	return rc == -ESRCH ? 0 : rc;
}

/* A number that no longer is a domain's is passed over: it ended since. */
static int ask_domain(struct list *l, struct hypervisor *x, domain_query *query, uint32_t domid)
{
	struct guest_info info;
	int rc = query(x, domid, &info);

	if (rc == -ESRCH || (rc == 0 && info.domid != domid))
		return 0;
	return rc == 0 ? array_add(l->domains, l->room, l->n, info) : rc;
}

int domains_list(struct hypervisor *x, domain_query *query, bool finds_next, struct xenstore *store,
                 struct guest_info **domains, size_t *n)
{
	struct list l = {0};
	uint32_t *domids = NULL;
	size_t ndomids = 0;
	int rc = 0;

	if (finds_next) {
		rc = walk_domains(&l, x, query);
	} else if (xenstore_domids(store, &domids, &ndomids) == 0) {
		for (size_t i = 0; rc == 0 && i < ndomids; i++)
			rc = ask_domain(&l, x, query, domids[i]);
	} else {
		for (uint32_t d = 0; rc == 0 && d < DOMID_FIRST_RESERVED; d++)
			rc = ask_domain(&l, x, query, d);
	}
	free(domids);
	if (rc != 0) {
		free(l.domains);
		return rc;
	}
	*domains = l.domains;
	*n = l.n;
	return 0;
}
