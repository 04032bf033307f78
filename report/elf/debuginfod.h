/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * debuginfod.h - files of debug information from debuginfod servers, by build-id.
 *
 * elfutils' libdebuginfod asks the servers of the environment's DEBUGINFOD_URLS and keeps what they send in the user's
 * cache. It is loaded when the first file is asked for, so uniprof-report runs without it. The servers are strangers:
 * time and size of every download are limited, and after a server did not answer, was too slow or sent something else,
 * none is asked again, so that a report waits for a bad server once.
 */
#ifndef REPORT_ELF_DEBUGINFOD_H
#define REPORT_ELF_DEBUGINFOD_H

struct debuginfod;

/* @tell gets one line about a wait that takes long, and one about the first failure. NULL: no memory. */
struct debuginfod *debuginfod_new(void (*tell)(const char *line));
void debuginfod_free(struct debuginfod *d); /* NULL is fine */
enum debuginfod_kind { DEBUGINFOD_DEBUG_FILE, DEBUGINFOD_EXECUTABLE };
/*
 * The file of debug information with this build-id in hexadecimal, or the program itself: a file descriptor for reading
 * a regular file, which the caller closes and whose contents it checks. -ENOENT: the servers do not have it, or none is
 * asked any more. Waits at most five minutes, for a server that sends nothing 15 seconds; DEBUGINFOD_MAXTIME and
 * DEBUGINFOD_TIMEOUT change that.
 */
int debuginfod_find(struct debuginfod *d, enum debuginfod_kind kind, const char *id);
/* The last file found is not what it should be, and @why: tells that, and no server is asked any more. */
void debuginfod_refuse(struct debuginfod *d, const char *why);

#endif
