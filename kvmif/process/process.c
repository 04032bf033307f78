/* SPDX-License-Identifier: BSD-2-Clause */
#include "kvmif/process/process.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/kcmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/array.h"
#include "common/clock.h"
#include "common/parse.h"
#include "kvmif/process/capabilities.h"
#include "kvmif/process/descriptor.h"

/* At most @size - 1 bytes of /proc/@pid/@file, ended by 0. How many, or a negative errno. */
static ssize_t read_proc_file(pid_t pid, const char *file, char *to, size_t size)
{
	char path[64];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, file);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT ? -ESRCH : -errno;
	n = read(fd, to, size - 1);
	if (n < 0)
		n = -errno;
	else
		to[n] = '\0';
	close(fd);
	return n;
}

const char *machine_stat_field(const char *stat, int number)
{
	const char *at = strrchr(stat, ')');

	for (int field = 2; at && field < number; field++)
		at = strchr(at + 1, ' ');
	return at ? at + 1 : NULL;
}

static int read_start(pid_t pid, uint64_t *start)
{
	char text[1024];
	ssize_t n = read_proc_file(pid, "stat", text, sizeof(text));
	const char *at = n < 0 ? NULL : machine_stat_field(text, 22);

	if (!at)
		return n < 0 ? (int)n : -EIO;
	*start = strtoull(at, NULL, 10);
	return 0;
}

uint64_t machine_cpu_ns(pid_t pid)
{
	char text[1024];
	const char *at = read_proc_file(pid, "stat", text, sizeof(text)) > 0 ? machine_stat_field(text, 14) : NULL;
	unsigned long long user = 0, system = 0;

	if (!at || sscanf(at, "%llu %llu", &user, &system) != 2)
		return 0;
	return (user + system) * (1000000000u / (uint64_t)sysconf(_SC_CLK_TCK));
}

/* The argument behind -@option or --@option, or after '=' in the same word; NULL: it is not given. */
static const char *argument(const char *line, size_t len, const char *option)
{
	const size_t n = strlen(option);

	for (const char *word = line; word < line + len; word += strlen(word) + 1) {
		const char *name = word + strspn(word, "-");

		if (name == word || strncmp(name, option, n) != 0 || (name[n] && name[n] != '='))
			continue;
		if (name[n] == '=')
			return name + n + 1;
		return name + n + 1 < line + len ? name + n + 1 : NULL;
	}
	return NULL;
}

/* Some monitors (crosvm) have several descriptors of their one machine. */
static void note_vm(struct machine *m, int fd)
{
	if (m->machines == 0)
		m->vm = fd;
	if (m->machines == 0 || syscall(SYS_kcmp, m->pid, m->pid, KCMP_FILE, m->vm, fd) != 0)
		m->machines++;
}

static void note_link(struct machine *m, const char *link, int fd)
{
	uint64_t number;

	if (strcmp(link, DESCRIPTOR_VM) == 0)
		note_vm(m, fd);
	m->encrypts |= strcmp(link, "/dev/sev") == 0;
	m->may_be_protected |= strstr(link, "kvm-gmem") != NULL;
	if (strncmp(link, DESCRIPTOR_VCPU, strlen(DESCRIPTOR_VCPU)) != 0)
		return;
	if (parse_u64(link + strlen(DESCRIPTOR_VCPU), 0, MACHINE_VCPUS_MAX - 1, &number) != 0) {
		m->has_more = true;
		return;
	}
	m->fds[number] = fd;
	if (m->vcpus <= number)
		m->vcpus = (uint32_t)number + 1;
}

static int read_links(struct machine *m)
{
	char path[64], link[64];
	struct dirent *e;
	int rc = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/fd", (int)m->pid);
	dir = opendir(path);
	if (!dir)
		return errno == ENOENT ? -ESRCH : -errno;
	while ((e = readdir(dir))) {
		ssize_t n = readlinkat(dirfd(dir), e->d_name, link, sizeof(link) - 1);

		if (n < 0 && errno == EACCES)
			rc = -EACCES;
		if (n <= 0)
			continue;
		link[n] = '\0';
		note_link(m, link, atoi(e->d_name));
	}
	closedir(dir);
	return rc;
}

/* --- names ------------------------------------------------------------------------------------------------------- */

/* QEMU's: name, or guest=name among other things; a comma in a name is doubled. */
static void copy_qemu_name(const char *value, char *name, size_t size)
{
	const char *guest = strncmp(value, "guest=", 6) == 0 ? value : strstr(value, ",guest=");
	size_t n = 0;

	if (guest)
		value = strchr(guest, '=') + 1;
	for (; *value && n + 1 < size; value++) {
		if (*value == ',' && *++value != ',')
			break;
		name[n++] = *value;
	}
	name[n] = '\0';
}

static int read_comm(pid_t pid, const char *file, char *name, size_t size)
{
	ssize_t n = read_proc_file(pid, file, name, size);

	if (n > 0 && name[n - 1] == '\n')
		name[n - 1] = '\0';
	return n < 0 ? (int)n : 0;
}

int machine_command(pid_t pid, char *name, size_t size)
{
	return read_comm(pid, "comm", name, size);
}

int machine_thread_name(pid_t pid, pid_t tid, char *name, size_t size)
{
	char file[32];

	snprintf(file, sizeof(file), "task/%d/comm", (int)tid);
	return read_comm(pid, file, name, size);
}

/* By the command line; "": it has none there. */
static int given_name(pid_t pid, char *name, size_t size)
{
	char line[16384];
	ssize_t n = read_proc_file(pid, "cmdline", line, sizeof(line));
	const char *value;

	if (n < 0)
		return (int)n;
	name[0] = '\0';
	if ((value = argument(line, (size_t)n, "name")))
		copy_qemu_name(value, name, size);
	else if ((value = argument(line, (size_t)n, "id")))
		snprintf(name, size, "%s", value);
	return 0;
}

int machine_name(pid_t pid, char *name, size_t size)
{
	int rc = given_name(pid, name, size);

	return rc != 0 || name[0] ? rc : machine_command(pid, name, size);
}

/* In a container a name may be another file's, or nobody's. */
static bool is_same_file(pid_t pid, const char *path)
{
	char there[PATH_MAX + 32];
	struct stat a, b;

	return snprintf(there, sizeof(there), "/proc/%d/root%s", (int)pid, path) < (int)sizeof(there) &&
	       stat(there, &a) == 0 && stat(path, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

int machine_kernel(pid_t pid, char *path, size_t size)
{
	char line[16384], file[32], folder[PATH_MAX] = "";
	ssize_t n = read_proc_file(pid, "cmdline", line, sizeof(line));
	const char *value = n > 0 ? argument(line, (size_t)n, "kernel") : NULL;

	if (!value || !*value)
		return -ENOENT;
	snprintf(file, sizeof(file), "/proc/%d/cwd", (int)pid);
	if (*value != '/' && (n = readlink(file, folder, sizeof(folder) - 1)) > 0)
		folder[n] = '\0';
	if (snprintf(path, size, "%s%s%s", folder, *folder ? "/" : "", value) >= (int)size || *path != '/')
		return -ENOENT;
	return is_same_file(pid, path) ? 0 : -ENOENT;
}

/* --- numbers of vCPUs --------------------------------------------------------------------------------------------- */

/* The number that @text begins with; 0: none, or too large. */
static uint32_t number_at(const char *text)
{
	const unsigned long n = isdigit((unsigned char)*text) ? strtoul(text, NULL, 10) : 0;

	return n <= MACHINE_VCPUS_MAX ? (uint32_t)n : 0;
}

/* That of "key=" among the commas of @text; 0: it is not there. */
static uint32_t key_value(const char *text, const char *key)
{
	const size_t n = strlen(key);
	const char *at = text;

	while (strncmp(at, key, n) != 0 || at[n] != '=') {
		at = strchr(at, ',');
		if (!at)
			return 0;
		at++;
	}
	return number_at(at + n + 1);
}

static uint32_t width(uint32_t n)
{
	uint32_t bits = 0;

	while (1u << bits < n)
		bits++;
	return bits;
}

/*
 * QEMU numbers vCPUs by APIC identifiers: thread, core, die and socket each have bits of their own, so numbers can be
 * left out. -smp says how many there are of each; what it does not say, there is one of, but for cores. Without
 * maxcpus, there are as many as at the start: its first number, or cpus.
 */
static uint32_t qemu_vcpus(const char *smp)
{
	uint32_t threads = key_value(smp, "threads"), cores = key_value(smp, "cores"), dies = key_value(smp, "dies");
	uint32_t sockets = key_value(smp, "sockets"), most = key_value(smp, "maxcpus");

	if (!most)
		most = key_value(smp, "cpus");
	if (!most)
		most = number_at(smp);
	threads += !threads;
	dies += !dies;
	if (!cores && !sockets)
		sockets = 1;
	if (!cores)
		cores = most / (sockets * dies * threads);
	cores += !cores;
	if (!sockets)
		sockets = most / (cores * dies * threads);
	sockets += !sockets;
	return ((sockets - 1) << (width(dies) + width(cores) + width(threads))) +
	       ((dies - 1) << (width(cores) + width(threads))) + ((cores - 1) << width(threads)) + threads;
}

uint32_t machine_vcpus_most(pid_t pid)
{
	char line[16384];
	ssize_t n = read_proc_file(pid, "cmdline", line, sizeof(line));
	const char *smp = n > 0 ? argument(line, (size_t)n, "smp") : NULL;
	const char *cpus = n > 0 ? argument(line, (size_t)n, "cpus") : NULL;
	uint32_t most = smp ? qemu_vcpus(smp) : cpus ? key_value(cpus, "max") : 0;

	return most < MACHINE_VCPUS_MAX ? most : MACHINE_VCPUS_MAX;
}

/* --- processes ---------------------------------------------------------------------------------------------------- */

bool machine_proc_is_ours(void)
{
	char link[32];
	ssize_t n = readlink("/proc/self", link, sizeof(link) - 1);

	if (n <= 0)
		return false;
	link[n] = '\0';
	return atoi(link) == getpid();
}

int machine_find(pid_t pid, struct machine *m)
{
	uint32_t most;
	int rc;

	m->pid = pid;
	m->vcpus = m->machines = 0;
	m->encrypts = m->may_be_protected = m->has_more = false;
	for (size_t i = 0; i < MACHINE_VCPUS_MAX; i++)
		m->fds[i] = -1;
	rc = read_start(pid, &m->start);
	if (rc == 0)
		rc = read_links(m);
	if (rc != 0 || m->vcpus == 0)
		return rc != 0 ? rc : -ESRCH;
	most = machine_vcpus_most(pid);
	if (m->vcpus < most)
		m->vcpus = most;
	return 0;
}

static int compare_pids(const void *a, const void *b)
{
	return *(const pid_t *)a - *(const pid_t *)b; /* none is negative */
}

static int all_pids(pid_t **pids, size_t *n)
{
	DIR *dir = opendir("/proc");
	size_t room = 0;
	struct dirent *e;
	uint64_t pid;
	int rc = 0;

	*pids = NULL;
	*n = 0;
	if (!dir)
		return -errno;
	while (rc == 0 && (e = readdir(dir))) {
		if (!isdigit((unsigned char)e->d_name[0]) || parse_u64(e->d_name, 1, INT32_MAX, &pid) != 0)
			continue;
		rc = array_add(*pids, room, *n, (pid_t)pid);
	}
	closedir(dir);
	array_sort(*pids, *n, sizeof(**pids), compare_pids);
	return rc;
}

/* May we look into the processes of other users? */
static bool may_look(void)
{
	char text[80];

	return !capabilities_missing(1ull << CAP_SYS_PTRACE | 1ull << CAP_DAC_READ_SEARCH, text, sizeof(text)) &&
	       !capabilities_are_of_a_namespace();
}

/* Of a process that starts at @since_ns: as struct machine has it. */
static uint64_t ticks_of(uint64_t since_ns)
{
	const uint64_t now = clock_now();

	return (since_ns + clock_read(CLOCK_BOOTTIME) - now) / (1000000000u / (uint64_t)sysconf(_SC_CLK_TCK));
}

static bool can_be_back(pid_t pid, const struct domain_identity *returned)
{
	char name[64];
	uint64_t start;

	if (given_name(pid, name, sizeof(name)) != 0)
		return false;
	if (!name[0] && (read_start(pid, &start) != 0 || start < ticks_of(returned->seen_ns) ||
	                 machine_command(pid, name, sizeof(name)) != 0))
		return false;
	return strncmp(name, returned->name, sizeof(name) - 1) == 0;
}

int machine_each(const struct domain_identity *returned, int (*each)(void *ctx, const struct machine *m), void *ctx)
{
	struct machine m;
	pid_t *pids;
	size_t n;
	bool any = false;
	int rc = all_pids(&pids, &n);

	for (size_t i = 0; rc == 0 && i < n; i++) {
		if ((returned && !can_be_back(pids[i], returned)) || machine_find(pids[i], &m) != 0)
			continue;
		any = true;
		rc = each(ctx, &m);
	}
	free(pids);
	return rc == 0 && !any && !may_look() ? -EACCES : rc;
}

/* By its number, or QEMU's by its name: other programs have options of that name, too. */
static bool is_named(pid_t pid, const char *text)
{
	char command[32], name[1024], number[16];

	snprintf(number, sizeof(number), "%d", (int)pid);
	if (machine_command(pid, command, sizeof(command)) != 0)
		return false;
	return strcmp(text, number) == 0 || (strncmp(command, "qemu", 4) == 0 &&
	                                     machine_name(pid, name, sizeof(name)) == 0 && strcmp(name, text) == 0);
}

pid_t machine_without_kvm(const char *text)
{
	struct machine m;
	pid_t *pids, pid = 0;
	size_t n;
	int rc = all_pids(&pids, &n);

	for (size_t i = 0; rc == 0 && !pid && i < n; i++)
		if (is_named(pids[i], text) && machine_find(pids[i], &m) == -ESRCH)
			pid = pids[i];
	free(pids);
	return pid;
}

/* --- what is known of one ---------------------------------------------------------------------------------------- */

bool machine_asks_protection(pid_t pid)
{
	static const char *const words[] = {"sev-guest", "sev-snp-guest", "tdx-guest", "confidential-guest-support"};
	char line[16384];
	ssize_t n = read_proc_file(pid, "cmdline", line, sizeof(line));

	for (size_t i = 0; n > 0 && i < sizeof(words) / sizeof(*words); i++)
		if (memmem(line, (size_t)n, words[i], strlen(words[i])))
			return true;
	return false;
}

/* The number behind @field, such as "\nTracerPid:", or a negative errno. */
static long status_number(pid_t pid, pid_t tid, const char *field)
{
	char file[32], text[4096], *at;
	ssize_t n;

	snprintf(file, sizeof(file), "task/%d/status", (int)tid);
	n = read_proc_file(pid, file, text, sizeof(text));
	if (n < 0)
		return n;
	at = strstr(text, field);
	return at ? strtol(at + strlen(field), NULL, 10) : 0;
}

pid_t machine_tracer(pid_t pid, pid_t tid)
{
	return (pid_t)status_number(pid, tid, "\nTracerPid:");
}

bool machine_is_filtered(pid_t pid, pid_t tid)
{
	return status_number(pid, tid, "\nSeccomp:") != 0;
}

/* The letter of its state; 0: it is gone. */
static char thread_state(pid_t pid, pid_t tid)
{
	char file[32], text[1024];
	const char *at;

	snprintf(file, sizeof(file), "task/%d/stat", (int)tid);
	at = read_proc_file(pid, file, text, sizeof(text)) > 0 ? machine_stat_field(text, 3) : NULL;
	return at ? *at : '\0';
}

int machine_each_thread(pid_t pid, int (*each)(void *ctx, pid_t tid), void *ctx)
{
	char path[64];
	struct dirent *e;
	int rc = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	dir = opendir(path);
	if (!dir)
		return errno == ENOENT ? -ESRCH : -errno;
	while (rc == 0 && (e = readdir(dir))) {
		pid_t tid = (pid_t)atoi(e->d_name);

		if (tid > 0)
			rc = each(ctx, tid);
	}
	closedir(dir);
	return rc;
}

static int is_thread_stopped(void *pid, pid_t tid)
{
	const char state = thread_state(*(const pid_t *)pid, tid);

	return state == 't' || state == 'T';
}

bool machine_is_stopped(pid_t pid)
{
	return machine_each_thread(pid, is_thread_stopped, &pid) > 0;
}

bool machine_is_suspended(pid_t pid)
{
	return thread_state(pid, pid) == 'T';
}

bool machine_is_dumping(pid_t pid)
{
	return status_number(pid, pid, "\nCoreDumping:") > 0;
}

bool machine_tracing_forbidden(void)
{
	FILE *f = fopen("/proc/sys/kernel/yama/ptrace_scope", "re");
	bool forbidden = f && fgetc(f) == '3';

	if (f)
		fclose(f);
	return forbidden;
}
