/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stop_inside.c - preloaded into a recorder, stops it while it holds a guest. It calls waitid() for threads of vCPUs
 * that it has seized, and nowhere else: if there is a file FILE_NAME, the next such call removes it, and stops the
 * process.
 */
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

int waitid(idtype_t type, id_t id, siginfo_t *info, int options)
{
	const int rc = (int)syscall(SYS_waitid, type, id, info, options, NULL);

	if (rc == 0 && unlink(FILE_NAME) == 0)
		raise(SIGSTOP);
	return rc;
}
