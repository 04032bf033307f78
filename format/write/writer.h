/* SPDX-License-Identifier: BSD-2-Clause */
/* writer.h - blocks that were packed before, written through a writer. */
#ifndef FORMAT_WRITE_WRITER_H
#define FORMAT_WRITE_WRITER_H

#include "format/file/block.h"

/* Writes a samples block of @h->stored_size bytes at @stored, with the writer's sequence number and trace id. */
int writer_put_stored(struct upf_writer *w, const struct block_header *h, const uint8_t *stored);

#endif
