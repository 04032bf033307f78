/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * viewer.h - a program that reads the trace from the recorder's standard output while it is written, and shows it. It
 * reads files of the guest's owner, so it has none of the recorder's privileges.
 */
#ifndef RECORD_PROCESS_VIEWER_H
#define RECORD_PROCESS_VIEWER_H

#include <sys/types.h>

struct viewer {
	pid_t pid;
	int out; /* the standard output that the recorder had */
};

/*
 * Starts @argv[0] of the recorder's folder, or else by PATH, once the trace begins. It runs as the user who has called
 * sudo, else as the recorder's, without capabilities. From here on standard output is what it reads. To be called
 * before there are other threads. 0 or a negative errno.
 */
int viewer_start(struct viewer *v, char *const argv[]);
/* Ends what it reads, waits for it, and gives standard output back. 0; else it has failed, and has said why. */
int viewer_end(struct viewer *v);

#endif
