/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pause_file.h - a file that tells which pauses are left behind when recorder and watchdog die together, as by the
 * cgroup's kill.
 *
 * It is the memory that both share: the watches (watch.h) and the marks, which the hypervisor itself writes where it
 * can. So it is right at any moment, and costs no call. It must be on a tmpfs: other file systems write-protect pages
 * now and then, and the hypervisor could not write to them. Both processes hold a lock on it as long as they live.
 */
#ifndef RECORD_WATCHDOG_PAUSE_FILE_H
#define RECORD_WATCHDOG_PAUSE_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "guest/hypervisor.h"
#include "record/watchdog/watch.h"

struct pause_file;

/*
 * Creates @path for @n domains of @ops, or replaces one that no recorder uses and that has nothing to undo. NULL: one
 * line for the user in @why.
 */
struct pause_file *pause_file_new(const char *path, const struct hypervisor_ops *ops, size_t n, char *why,
                                  size_t size);
/* Opens what a recorder has left. NULL: one line in @why; errno ENOENT: there is nothing. */
struct pause_file *pause_file_open(const char *path, char *why, size_t size);
/* Unmaps it. @remove: and removes it, as nothing is paused any more. NULL is fine. */
void pause_file_close(struct pause_file *f, bool remove);

int pause_file_fd(const struct pause_file *f);
struct watch *pause_file_watches(const struct pause_file *f);
struct pause_mark *pause_file_marks(const struct pause_file *f);
/* Domain @i is @info's now; not while it is paused. */
void pause_file_set(struct pause_file *f, size_t i, const struct guest_info *info);

/* The backend that it was made with (struct hypervisor_ops, name), and the number of domains. */
const char *pause_file_backend(const struct pause_file *f);
size_t pause_file_domains(const struct pause_file *f);

enum pause_left {
	PAUSE_NONE,    /* nothing was left of the recorder's, or the domain is gone or runs */
	PAUSE_RESUMED, /* it was, and is undone */
	PAUSE_UNSURE,  /* the watchdog died in the call that undoes it: nothing is done, the domain is paused */
	PAUSE_FAILED,  /* the hypervisor refused: errno */
};

/* Undoes the pause of domain @i, if one is left behind and it is still the same domain. Its number is in @domid. */
enum pause_left pause_file_undo(struct pause_file *f, size_t i, const struct hypervisor_ops *ops, struct hypervisor *x,
                                uint32_t *domid);

#endif
