/* SPDX-License-Identifier: BSD-2-Clause */
/* exit_code.h - the exit status of uniprof-record, as in its man page. */
#ifndef RECORD_CLI_EXIT_CODE_H
#define RECORD_CLI_EXIT_CODE_H

enum exit_code {
	EXIT_RECORDED = 0,
	EXIT_CUT_SHORT = 1, /* an error ended the recording; what was written is valid */
	EXIT_USAGE = 2,
	EXIT_HYPERVISOR = 3, /* no hypervisor, no permission to use it, or an unknown version */
	EXIT_DOMAIN = 4,     /* no such domain, or it cannot be recorded */
	EXIT_OUTPUT = 5,     /* the output cannot be written */
	EXIT_COMMAND = 6,    /* the command of --start failed */
};

#endif
