/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * outfile.h - the output of a view: standard output, or a file that is written under a temporary name and renamed at
 * the end, so that there is always either the old file or the complete new one. Compresses on request, or if the name
 * ends in ".gz". Remembers the first write that failed.
 */
#ifndef REPORT_OUTPUT_OUTFILE_H
#define REPORT_OUTPUT_OUTFILE_H

#include <stdbool.h>
#include <stdio.h>
#include <zlib.h>

struct outfile {
	FILE *file; /* what to print to */
	int fd;
	int error;  /* negative errno of the first failed write, 0: none */
	char *path; /* final name; NULL: fd is written in place */
	char *beside;
	bool compressed;
	z_stream gzip;
};

/*
 * @path NULL or "-": standard output. Devices and pipes are written in place; a link is followed. @compress: by gzip,
 * whatever the name; the bytes depend on what is written alone. 0 or a negative errno with nothing to close; -ENOTTY:
 * what is compressed does not go to a terminal. @o must stay where it is while it is open, and there is one at a time.
 */
int outfile_open(struct outfile *o, const char *path, bool compress);
/* Puts the file in place if @keep and all went well, removes it otherwise. 0 or a negative errno. */
int outfile_close(struct outfile *o, bool keep);
/* For a signal's handler, right before the program ends: removes the file beside. */
void outfile_abandon(void);

#endif
