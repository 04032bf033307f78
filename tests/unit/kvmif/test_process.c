/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of virtual machines, by the command lines of their monitors: here of a shell that waits. */
#include "tests/unit/unit.h"

#include <signal.h>
#include <sys/wait.h>

#include "kvmif/process/process.c"

static pid_t child;

/* Its command line ends with these words. It is there when the shell runs, not yet when exec() closes files. */
static void start(const char *a, const char *b)
{
	int ready[2];
	char byte;

	assert_int_equal(pipe2(ready, O_CLOEXEC), 0);
	child = fork();
	if (child == 0) {
		dup2(ready[1], STDOUT_FILENO);
		execl("/bin/sh", "sh", "-c", "echo; while :; do read line; done", "monitor", a, b, NULL);
		_exit(1);
	}
	close(ready[1]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
}

static void end(void)
{
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

static void check_name(const char *a, const char *b, const char *wanted)
{
	char name[64];

	start(a, b);
	assert_int_equal(machine_name(child, name, sizeof(name)), 0);
	assert_string_equal(name, wanted);
	end();
}

TEST(names_are_found)
{
	check_name("-name", "web1", "web1");
	check_name("-name", "guest=web1,debug-threads=on", "web1");
	check_name("-name", "debug-threads=on,guest=a,,b", "a,b");
	check_name("-name", "web1,process=q", "web1");
	check_name("--name", "guest=web1,debug-threads=on", "web1"); /* QEMU takes both */
	check_name("--name", "web1", "web1");                        /* crosvm, kvmtool */
	check_name("--id", "vm-3", "vm-3");
	check_name("--id=vm-4", "x", "vm-4");
	check_name("-name", NULL, "sh");
	check_name("-named", "web1", "sh");
}

static void check_kernel(const char *option, const char *value, const char *wanted)
{
	char path[256];

	start(option, value);
	assert_int_equal(machine_kernel(child, path, sizeof(path)), wanted ? 0 : -ENOENT);
	if (wanted)
		assert_string_equal(path, wanted);
	assert_int_equal(machine_kernel(child, path, 4), -ENOENT);
	end();
}

TEST(kernels_are_found)
{
	char folder[200], wanted[256];

	check_kernel("-kernel", "/bin/sh", "/bin/sh");
	check_kernel("--kernel=/bin/sh", "x", "/bin/sh");
	check_kernel("-kernel", "/no/such/file", NULL);
	check_kernel("-kernel", "", NULL);
	check_kernel("-kernel", NULL, NULL);
	check_kernel("-initrd", "/bin/sh", NULL);
	assert_non_null(getcwd(folder, sizeof(folder)));
	snprintf(wanted, sizeof(wanted), "%s/GNUmakefile", folder);
	check_kernel("-kernel", "GNUmakefile", wanted);
}

static void check_vcpus(const char *option, const char *value, uint32_t wanted)
{
	start(option, value);
	assert_int_equal(machine_vcpus_most(child), wanted);
	end();
}

/* QEMU leaves numbers out where cores or threads are no power of two. */
TEST(vcpus_to_come_are_counted)
{
	check_vcpus("-smp", "1,maxcpus=4", 4);
	check_vcpus("--smp", "1,maxcpus=4", 4);
	check_vcpus("-smp", "cpus=1,maxcpus=6", 6);
	check_vcpus("-smp", "2,sockets=2,cores=2", 4);
	check_vcpus("-smp", "1,maxcpus=6,sockets=2", 7);
	check_vcpus("-smp", "1,sockets=2,cores=3,threads=1", 7);
	check_vcpus("-smp", "1,maxcpus=12,cores=3,threads=2", 14);
	check_vcpus("-smp", "1,maxcpus=100000,threads=99999999999", 1);
	check_vcpus("-smp", "1,maxcpus=512,sockets=512", MACHINE_VCPUS_MAX);
	check_vcpus("-smp", "4", 4);
	check_vcpus("-smp", "cpus=6", 6);
	check_vcpus("-smp", "8,cores=4", 8);
	check_vcpus("--cpus", "boot=2,max=8", 8);
	check_vcpus("--cpus", "boot=2", 0);
	check_vcpus("-name", "web1", 0);
}

TEST(protection_is_seen)
{
	struct machine m = {0};

	note_link(&m, "/dev/kvm", 3);
	assert_false(m.encrypts || m.may_be_protected);
	note_link(&m, "anon_inode:[kvm-gmem]", 4);
	assert_true(m.may_be_protected && !m.encrypts);
	note_link(&m, "/dev/sev", 5);
	assert_true(m.encrypts);
	start("-machine", "q35,confidential-guest-support=sev0");
	assert_true(machine_asks_protection(child));
	end();
	start("-machine", "q35");
	assert_false(machine_asks_protection(child));
	end();
}

static bool can_be(const char *name, uint64_t since_ns)
{
	struct domain_identity returned = {.seen_ns = since_ns};

	snprintf(returned.name, sizeof(returned.name), "%s", name);
	return can_be_back(child, &returned);
}

/* Without a name of its own it has that of its command, as others may: it must be later than the one that ended. */
TEST(one_that_came_back_is_told_from_others)
{
	uint64_t before = clock_now(), after;

	start("x", NULL);
	usleep(50000); /* a process's start is known to 10 ms */
	after = clock_now();
	assert_true(can_be("sh", before));
	assert_false(can_be("sh", after));
	assert_false(can_be("x", before));
	end();
	start("-name", "web1");
	assert_true(can_be("web1", after));
	usleep(50000);
	after = clock_now();
	assert_true(can_be("web1", after));
	assert_false(can_be("sh", before));
	end();
}

/* They are not passed over, as if the guest had none of them. */
TEST(numbers_that_are_too_high_are_noted)
{
	struct machine m = {0};

	note_link(&m, DESCRIPTOR_VCPU "511", 3);
	assert_int_equal(m.vcpus, 512);
	assert_int_equal(m.fds[511], 3);
	assert_false(m.has_more);
	note_link(&m, DESCRIPTOR_VCPU "512", 4);
	assert_int_equal(m.vcpus, 512);
	assert_true(m.has_more);
}

TEST(other_processes_are_none)
{
	struct machine m;

	assert_int_equal(machine_find(getpid(), &m), -ESRCH);
	assert_int_equal(m.vcpus, 0);
	assert_true(m.start > 0);
	assert_int_equal(machine_find(INT32_MAX, &m), -ESRCH);
	assert_int_equal(machine_tracer(getpid(), getpid()), 0);
}
