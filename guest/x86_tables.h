/* SPDX-License-Identifier: BSD-2-Clause */
/* x86_tables.h - walks the page tables of x86, in every format that its processors have. */
#ifndef GUEST_X86_TABLES_H
#define GUEST_X86_TABLES_H

#include "guest/capture.h"
#include "guest/hypervisor.h"

/*
 * As translate() of struct arch. At most as many steps as the format has levels, whatever the tables hold; each of the
 * tables may have been changed by the guest since the last one was read.
 */
typedef int x86_walk(struct capture *capture, const struct space_root *root, uint64_t address, uint64_t *frame);

x86_walk x86_walk_pv;      /* 4 levels of a PV guest */
x86_walk x86_walk_pv_pae;  /* 3 levels of a 32-bit PV guest */
x86_walk x86_walk_5;       /* 57-bit addresses */
x86_walk x86_walk_4;       /* 48-bit addresses; pages of 1 GiB, 2 MiB and 4 KiB */
x86_walk x86_walk_pae;     /* 32-bit addresses, 3 levels; pages of 2 MiB and 4 KiB */
x86_walk x86_walk_2_large; /* 32-bit addresses, 2 levels; pages of 4 MiB, below 1 TiB (PSE-36), and 4 KiB */
x86_walk x86_walk_2;       /* the same without large pages */
x86_walk x86_walk_none;    /* paging is off: addresses are physical */

#endif
