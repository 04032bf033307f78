/* SPDX-License-Identifier: BSD-2-Clause */
/* remote.h - reads another process's memory. */
#ifndef KVMIF_MEMORY_REMOTE_H
#define KVMIF_MEMORY_REMOTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

/* Set in an address of ours that stands for one of the other process's: what is there is mapped here, too. */
#define REMOTE_IS_HERE (1ull << 63)

/*
 * Fills the @nto pieces of @to one after the other from the @nfrom pieces of @from, which are of @pid and as many
 * bytes in all: by one call up to 1024 pieces of @from, else by one more for each 1024. What is here needs none. 0, or
 * a negative errno; -EFAULT: not all of it is there.
 */
int remote_read(pid_t pid, const struct iovec *to, size_t nto, const struct iovec *from, size_t nfrom);
/* Can a byte at @address be read so? A page that was paged out is there then. Registers of devices cannot. */
bool remote_is_readable(pid_t pid, uint64_t address);

#endif
