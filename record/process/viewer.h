/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * viewer.h - a program that reads the trace from the recorder's standard output while it is written, and shows it. It
 * reads files of the guest's owner, so it has none of the recorder's privileges.
 */
#ifndef RECORD_PROCESS_VIEWER_H
#define RECORD_PROCESS_VIEWER_H

#include <stdbool.h>
#include <sys/types.h>

struct viewer {
	pid_t pid;
	int out;           /* the standard output that the recorder had */
	bool screen;       /* it has the terminal */
	int err, messages; /* then: the standard error that the recorder had, and what it has now */
};

/*
 * Starts @argv[0] of the recorder's folder, or else by PATH, once the trace begins. It runs as the user who has called
 * sudo, else as the recorder's, without capabilities. From here on standard output is what it reads. To be called
 * before there are other threads. @screen: it has the terminal until the user leaves it, which then is as it was, however
 * the viewer ended, and the recorder gets SIGINT; what the recorder says waits until then. 0 or a negative errno.
 */
int viewer_start(struct viewer *v, char *const argv[], bool screen);
/*
 * Ends what it reads, waits for it, and gives standard output back. Messages that have waited are printed if @tell, or if
 * it has failed. 0; else it has failed, and has said why.
 */
int viewer_end(struct viewer *v, bool tell);

#endif
