/* SPDX-License-Identifier: BSD-2-Clause */
/* writer.h - what other files of the format put out through a writer. */
#ifndef FORMAT_WRITER_H
#define FORMAT_WRITER_H

#include "format/block.h"

/* A samples block whose @h->stored_size bytes are @stored; sequence number and trace id are the writer's. */
int writer_put_stored(struct upf_writer *w, const struct block_header *h, const uint8_t *stored);

#endif
