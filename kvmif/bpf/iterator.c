/* SPDX-License-Identifier: BSD-2-Clause */
#include "kvmif/bpf/iterator.h"

#include <errno.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "kvmif/process/capabilities.h"
#include "kvmif/bpf/iterator.skel.h"
#include "kvmif/bpf/live_arch.h"

#define RECORDS 256 /* read at a time */

struct iterator {
	struct iterator_bpf *program;
};

/* To read the types of modules, libbpf lists all types that are loaded, which takes CAP_SYS_ADMIN. */
static void explain_failure(int error, char *why, size_t size)
{
	const char *text = strerror(error);

	if (error == EPERM || error == EACCES) {
		if (capabilities_missing(1ull << CAP_BPF | 1ull << CAP_PERFMON, why, size))
			return;
		text = capabilities_are_of_a_namespace() ? "CAP_BPF of a user namespace does not do"
		       : capabilities_missing(1ull << CAP_SYS_ADMIN, why, size)
		               ? "this kernel's BTF has no types of KVM, and CAP_SYS_ADMIN, for those of modules, is missing"
		               : "this kernel or container forbids BPF (lockdown, seccomp)";
	} else if (error == ENOENT || error == ESRCH) {
		text = "this kernel has no BTF of KVM";
	} else if (error == EINVAL) {
		text = "this kernel refuses the program, as those before Linux 5.17 do";
	}
	snprintf(why, size, "%s", text);
}

struct iterator *iterator_open(char *why, size_t size)
{
	struct iterator *it = calloc(1, sizeof(*it));

	if (!it) {
		snprintf(why, size, "out of memory");
		return NULL;
	}
	libbpf_set_print(NULL); /* this program reports errors itself */
	it->program = iterator_bpf__open();
	if (it->program) {
		it->program->rodata->page_shift = (unsigned)__builtin_ctzl((unsigned long)sysconf(_SC_PAGESIZE));
		it->program->rodata->encrypted_at = live_encryption_at();
	}
	if (!it->program || iterator_bpf__load(it->program) != 0) {
		explain_failure(errno, why, size);
		iterator_close(it);
		return NULL;
	}
	return it;
}

void iterator_close(struct iterator *it)
{
	if (!it)
		return;
	iterator_bpf__destroy(it->program);
	free(it);
}

/* Whole records only: the kernel does not split what one write has added, but a read may end inside one. */
static int read_records(int fd, int (*each)(void *ctx, const struct kvm_record *record), void *ctx)
{
	struct kvm_record records[RECORDS];
	size_t have = 0;
	int rc = 0;

	while (rc == 0) {
		ssize_t n = read(fd, (char *)records + have, sizeof(records) - have);
		size_t whole;

		if (n < 0 && (errno == EINTR || errno == EAGAIN))
			continue;
		if (n <= 0)
			return n < 0 ? -errno : 0;
		have += (size_t)n;
		whole = have / sizeof(*records);
		for (size_t i = 0; rc == 0 && i < whole; i++)
			rc = each(ctx, &records[i]);
		have -= whole * sizeof(*records);
		memmove(records, &records[whole], have);
	}
	return rc;
}

/*
 * By its first thread, since all have the same descriptors: by the process's number Linux 6.1 goes over them for each
 * thread. Older kernels take no notice of a number.
 */
static int create(struct iterator *it, pid_t pid)
{
	union bpf_iter_link_info first;
	struct bpf_iter_attach_opts opts;
	struct bpf_link *link;
	int fd, rc;

	/* The padding, too: libbpf and the kernel check it. */
	memset(&first, 0, sizeof(first));
	memset(&opts, 0, sizeof(opts));
	first.task.tid = (__u32)pid;
	opts.sz = sizeof(opts);
	opts.link_info = &first;
	opts.link_info_len = sizeof(first);
	link = bpf_program__attach_iter(it->program->progs.each_file, &opts);
	fd = link ? bpf_iter_create(bpf_link__fd(link)) : -1;
	rc = fd < 0 ? -errno : fd;
	bpf_link__destroy(link);
	return rc;
}

int iterator_read(struct iterator *it, pid_t pid, int (*each)(void *ctx, const struct kvm_record *record), void *ctx)
{
	int fd = create(it, pid), rc;

	if (fd < 0)
		return fd;
	rc = read_records(fd, each, ctx);
	close(fd);
	return rc;
}
