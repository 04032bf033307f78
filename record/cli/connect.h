/* SPDX-License-Identifier: BSD-2-Clause */
/* connect.h - the hypervisors that this host has, of those that the program was built for. */
#ifndef RECORD_CLI_CONNECT_H
#define RECORD_CLI_CONNECT_H

#include "guest/hypervisor.h"

#define CONNECTIONS_MAX 4

struct connection {
	const struct hypervisor_ops *ops;
	struct hypervisor *x;
};

/* Connects to all there are. How many, in @all; 0: @why is one line. */
size_t connect_all(struct connection all[CONNECTIONS_MAX], char *why, size_t size);
void connect_close(struct connection *all, size_t n);

/*
 * @operand as @c knows it: without @c's prefix, or as it is if it has no hypervisor's. NULL: it has another one's.
 */
const char *connect_without_prefix(const struct connection *c, const char *operand);

/*
 * The connection that has the guests that the @count @operands name; prefixes such as "xen:" are taken off. NULL:
 * @why is one line. A guest that nobody has is left to be reported by who looks for it. Where none is named, the
 * first connection.
 */
const struct connection *connect_choose(const struct connection *all, size_t n, char **operands, size_t count,
                                        char *why, size_t size);

#endif
