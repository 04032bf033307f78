/* SPDX-License-Identifier: BSD-2-Clause */
/* config.h - the configuration file: which binaries guests have, and where files are searched. */
#ifndef REPORT_CLI_CONFIG_H
#define REPORT_CLI_CONFIG_H

#include "report/input/binary_files.h"

/* Zero-initialise; config_free() at the end. */
struct config {
	struct known_binary *known;
	size_t nknown, known_cap;
	char **folders;
	size_t nfolders, folders_cap;
	char *symfs, *debuginfod; /* NULL: not set */
};

/*
 * Reads $UNIPROF_CONFIG, or else /etc/uniprof.conf and then uniprof.conf in $XDG_CONFIG_HOME or ~/.config. What comes
 * later is found first, and a file that does not exist is empty. 0, or -1 with one line in @why.
 */
int config_read(struct config *c, char *why, size_t size);
void config_free(struct config *c);

#endif
