/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * viewer.h - a program that reads the trace from the recorder's standard output while it is written, and shows it. It
 * reads files of the guest's owner, so it has another account, and no privilege but to open root's files.
 */
#ifndef RECORD_PROCESS_VIEWER_H
#define RECORD_PROCESS_VIEWER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct viewer {
	uid_t user; /* as whom it runs */
	gid_t group;
	uint64_t caps; /* that it has at its start (linux/capability.h) */
	pid_t pid;
	int out;           /* the standard output that the recorder had */
	bool screen;       /* it has the terminal */
	int err, messages; /* then: the standard error that the recorder had, and what it has now */
};

/*
 * Decides as whom it runs, before all else: as user @name, or, with NULL, as who has called sudo or doas, or as nobody,
 * if that is root or there is none. Except with sudo and doas it may open what root may, until it has opened its
 * files. If the recorder is not root, the viewer has its account. 0; -ENOENT: there is no such user; -EPERM: only root
 * can give it an account.
 */
int viewer_account(struct viewer *v, const char *name);
/*
 * Starts @argv[0] of the recorder's folder, or else by PATH, once the trace begins. From here on standard output is
 * what it reads. To be called before there are other threads. @screen: it has the terminal until the user leaves it, which
 * then is as it was, however the viewer ended, and the recorder gets SIGINT; what the recorder says waits until then. 0
 * or a negative errno.
 */
int viewer_start(struct viewer *v, char *const argv[], bool screen);
/*
 * Ends what it reads, waits for it, and gives standard output back. Messages that have waited are printed if @tell, or if
 * it has failed. 0; else it has failed, and has said why.
 */
int viewer_end(struct viewer *v, bool tell);

#endif
