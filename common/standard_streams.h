/* SPDX-License-Identifier: BSD-2-Clause */
/* standard_streams.h - what both programs need of standard input, output and error. Prints nothing. */
#ifndef COMMON_STANDARD_STREAMS_H
#define COMMON_STANDARD_STREAMS_H

/*
 * Opens those of descriptors 0 to 2 that are closed, on /dev/null, so that no file opened later gets such a number and
 * receives messages or loses what is written to it. Reading finds the end of the file, messages are discarded, but
 * writing to standard output fails with EBADF: output that the user asked for must not disappear without an error.
 * To be called before anything else is opened. 0 or a negative errno.
 */
int standard_streams_open(void);

/* Writes what is buffered for standard output. 0, or a negative errno if this or an earlier write failed. */
int standard_output_flush(void);

#endif
