/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * windows.h - the few words from the top of each stack (FORMAT.md, "Windows"). A block stores each different top
 * once; a sample refers to one of them, by a prediction that is mostly right: the same stack has the same top at the
 * same place.
 */
#ifndef FORMAT_SAMPLES_WINDOWS_H
#define FORMAT_SAMPLES_WINDOWS_H

#include "format/samples/columns.h"
#include "format/upf.h"

/* The tops of a block so far; the same in encoder and decoder. */
struct windows;

/* An encoder's, for stacks of nodes below @nodes; 0: a decoder's, which grows. NULL: no memory. */
struct windows *windows_new(uint32_t nodes);
void windows_free(struct windows *w);
/* A new block; @v1: of version 1, where new windows are written in full. */
void windows_reset(struct windows *w, bool v1);

/* --- encoding */

bool windows_have_room(const struct windows *w, size_t samples, size_t words);
/* @parent: the node of the stack without its leaf. */
void windows_put(struct windows *w, struct column_writer *columns, uint32_t parent, const struct upf_sample *s);

/* --- decoding */

/* The top of a stack that ends in @leaf of @nodes: its number, from 1. 0; -EBADMSG; -ENOMEM. */
int windows_get(struct windows *w, struct column_reader *columns, const struct upf_node *nodes, uint32_t leaf,
                uint32_t *top, uint64_t *sp);
/* Fills in the frame pointer and words of top number @top at the stack pointer @sp. */
void windows_tell(const struct windows *w, uint32_t top, uint64_t sp, struct upf_record *r);

#endif
