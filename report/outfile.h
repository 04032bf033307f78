/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * outfile.h - where a view's text goes: standard output, or a file that is written beside and put in place at the end, so
 * that there is the old one or the whole new one. Remembers the first write that failed.
 */
#ifndef REPORT_OUTFILE_H
#define REPORT_OUTFILE_H

#include <stdbool.h>
#include <stdio.h>

struct outfile {
	FILE *file;   /* what to print to */
	int fd;
	int error;    /* negative errno of the first failed write, 0: none */
	char *path;   /* where it shall stand in the end; NULL: fd itself is the place */
	char *beside;
};

/*
 * @path NULL or "-": standard output. Devices and pipes are written in place; a link is followed. 0 or a negative errno
 * with nothing to close. @o must stay where it is while it is open.
 */
int outfile_open(struct outfile *o, const char *path);
/* Puts the file in place if @keep and all went well, removes it otherwise. 0 or a negative errno. */
int outfile_close(struct outfile *o, bool keep);

#endif
