/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/output/terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

bool terminal_color(enum color_when when, bool to_file)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

	if (when != COLOR_AUTO)
		return when == COLOR_ALWAYS;
	return !to_file && !(no && *no) && term && strcmp(term, "dumb") != 0 && isatty(STDOUT_FILENO);
}

/* --- the pager --------------------------------------------------------------------------------------------------- */

static pid_t pager; /* 0: none. A signal's handler has no context to find it in */

/* Does the shell find the program that @command begins with? What it has to expand first is taken to be there. */
static bool is_found(const char *command)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+,-./:@_";
	size_t len = strspn(command, plain);
	char check[4096];

	if (len == 0 || (command[len] != '\0' && command[len] != ' ' && command[len] != '\t') ||
	    snprintf(check, sizeof(check), "command -v -- %.*s >/dev/null 2>&1", (int)len, command) >=
	            (int)sizeof(check))
		return true;
	return system(check) == 0;
}

/* NULL: none is wanted. */
static const char *choose_pager(void)
{
	const char *wanted = getenv("PAGER");

	if (!wanted)
		return "less";
	return *wanted && strcmp(wanted, "cat") != 0 ? wanted : NULL;
}

/*
 * Colours are shown as such, whatever the user's own options are: these may still undo it, as they come later. Without
 * any, what fits on the screen stays there and is not waited for.
 */
static void set_less(void)
{
	const char *own = getenv("LESS");
	char options[4096];

	if (own && snprintf(options, sizeof(options), "-R %s", own) < (int)sizeof(options))
		setenv("LESS", options, 1);
	else
		setenv("LESS", "RFX", 0);
}

static void run_pager(const char *command, const int ends[2])
{
	dup2(ends[0], STDIN_FILENO);
	close(ends[0]);
	close(ends[1]);
	set_less();
	signal(SIGPIPE, SIG_DFL);
	signal(SIGXFSZ, SIG_DFL);
	prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0ul, 0ul, 0ul); /* of a recorder that is root's */
	execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	_exit(127);
}

const char *pager_start(void)
{
	const char *command = isatty(STDOUT_FILENO) ? choose_pager() : NULL;
	int ends[2];

	if (!command)
		return NULL;
	if (!is_found(command))
		return getenv("PAGER");
	if (pipe2(ends, O_CLOEXEC) != 0)
		return NULL;
	pager = fork();
	if (pager == 0)
		run_pager(command, ends);
	close(ends[0]);
	if (pager > 0) {
		dup2(ends[1], STDOUT_FILENO);
		if (isatty(STDERR_FILENO))
			dup2(ends[1], STDERR_FILENO);
	} else {
		pager = 0;
	}
	close(ends[1]);
	return NULL;
}

void pager_end(void)
{
	pid_t waited = pager;

	if (!waited)
		return;
	pager = 0;
	signal(SIGINT, SIG_IGN); /* means the pager, which has the terminal until it ends */
	close(STDOUT_FILENO);
	close(STDERR_FILENO);
	while (waitpid(waited, NULL, 0) < 0 && errno == EINTR)
		;
}
