/* SPDX-License-Identifier: BSD-2-Clause */
#include "record/cli/describe.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "common/array.h"
#include "common/clock.h"
#include "common/say.h"
#include "format/file/identity.h"

static void quote(struct buf *b, const char *word)
{
	if (*word &&
	    strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%") == strlen(word)) {
		buf_add(b, word, strlen(word));
		return;
	}
	buf_add(b, "'", 1);
	for (; *word; word++)
		buf_add(b, *word == '\'' ? "'\\''" : word, *word == '\'' ? 4 : 1);
	buf_add(b, "'", 1);
}

char *describe_command(int argc, char *const *argv)
{
	struct buf b = {0};

	for (int i = 0; i < argc; i++) {
		buf_add(&b, " ", i > 0);
		quote(&b, argv[i]);
	}
	if (buf_add(&b, "", 1) == 0)
		return (char *)b.data;
	buf_free(&b);
	errno = ENOMEM;
	return NULL;
}

_Static_assert((int)GUEST_PV == UPF_KIND_PV && (int)GUEST_KVM == UPF_KIND_KVM, "kinds are the trace's");
_Static_assert((int)GUEST_EXIT_OTHER == UPF_EXIT_OTHER && (int)GUEST_EXIT_HYPERCALL == UPF_EXIT_HYPERCALL,
               "so are reasons");
_Static_assert((int)ARCH_X86_64 == UPF_ARCH_X86_64 && (int)ARCH_X86_16 == UPF_ARCH_X86_16, "so are instruction sets");

static void describe_domain(struct upf_domain *d, const struct target *t)
{
	d->id = t->info.domid;
	memcpy(d->uuid, t->info.uuid, sizeof(d->uuid));
	d->kind = t->info.kind;
	d->arch = t->arch;
	d->vcpus = t->info.vcpus;
	d->live = target_is_live(t);
	d->name = t->name[0] ? t->name : NULL;
}

int describe(struct description *d, const struct options *o, struct target *const *targets, size_t n,
             const char *hypervisor, const char *command)
{
	uint8_t id[sizeof(d->session.trace_id)];

	memset(d, 0, sizeof(*d));
	/* Before time 0: soon after the host has booted this may wait for randomness. */
	if (getrandom(id, sizeof(id), 0) != (ssize_t)sizeof(id))
		return -EIO;
	d->domains = calloc(n, sizeof(*d->domains));
	if (!d->domains)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		describe_domain(&d->domains[i], targets[i]);
	if (gethostname(d->host, sizeof(d->host) - 1) != 0)
		d->host[0] = '\0';
	d->session = (struct upf_session){
		.start_real_ns = clock_read(CLOCK_REALTIME),
		.start_mono_ns = clock_now(),
		.rate_mhz = o->session.rate_mhz,
		.max_stack = o->stack.max_frames,
		.tops = (uint8_t)stack_tops(&o->stack),
		.tops_size = (o->stack.window_words ? o->stack.window_words : o->stack.copy_words) * UPF_WORD,
		.copy_size = o->stack.copy_words * UPF_WORD,
		.command = command,
		.recorder = "uniprof-record " UNIPROF_VERSION,
		.host = d->host,
		.hypervisor = hypervisor,
		.domains = d->domains,
		.ndomains = n,
	};
	memcpy(d->session.trace_id, id, sizeof(id));
	return 0;
}

static bool is_given_name(const struct upf_domain *d, const char *text, size_t len)
{
	char number[16];

	snprintf(number, sizeof(number), "%u", d->id);
	return (strlen(number) == len && memcmp(number, text, len) == 0) ||
	       (d->name && strlen(d->name) == len && memcmp(d->name, text, len) == 0);
}

static void forget_image(struct upf_domain *d)
{
	free((char *)d->image);
	free((char *)d->build_id);
	d->image = d->build_id = NULL;
}

static int set_image_of(struct upf_domain *d, const char *path, const char *identity)
{
	forget_image(d);
	d->image = strdup(path);
	d->build_id = strdup(identity);
	return d->image && d->build_id ? 0 : -ENOMEM;
}

/*
 * Sets the image of the domains that have this name or number, of @len bytes; @name NULL: of those without an image.
 * Their number, or -ENOMEM.
 */
static int set_images(struct description *d, const char *name, size_t len, const char *path, const char *identity)
{
	int n = 0;

	for (size_t i = 0; i < d->session.ndomains; i++) {
		struct upf_domain *domain = &d->domains[i];

		if (name ? !is_given_name(domain, name, len) : domain->image != NULL)
			continue;
		if (set_image_of(domain, path, identity) != 0)
			return -ENOMEM;
		n++;
	}
	return n;
}

/*
 * Sets an image if it is given as DOMAIN=FILE and @named is true, or as FILE and it is false. A file name may contain
 * '=': what comes before it is a domain only if such a domain is recorded.
 */
static int describe_image(struct description *d, const char *image, bool named, char *why, size_t size)
{
	const char *equals = strchr(image, '=');
	char identity[IDENTITY_SIZE], *path;
	bool is_named = false;
	int rc;

	for (size_t i = 0; equals && i < d->session.ndomains; i++)
		is_named |= is_given_name(&d->domains[i], image, (size_t)(equals - image));
	if (is_named != named)
		return 0;
	path = realpath(is_named ? equals + 1 : image, NULL);
	rc = path ? identity_of_file(path, identity) : -errno;
	if (rc == 0)
		rc = set_images(d, is_named ? image : NULL, is_named ? (size_t)(equals - image) : 0, path, identity);
	free(path);
	if (rc >= 0)
		return 0;
	if (equals && !is_named)
		return failure(why, size, -1, "--image %s: no domain of this recording, and as a file: %s", image,
		               strerror(-rc));
	return failure(why, size, -1, "--image %s: %s", image, rc == -ESPIPE ? "not a regular file" : strerror(-rc));
}

/* First those of named domains, of which the last one counts; then the last one of those for all others. */
int describe_images(struct description *d, const struct options *o, char *why, size_t size)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < o->nimages; i++)
		rc = describe_image(d, o->images[i], true, why, size);
	for (size_t i = o->nimages; rc == 0 && i-- > 0;)
		rc = describe_image(d, o->images[i], false, why, size);
	return rc;
}

int describe_kernels(struct description *d, const struct hypervisor_ops *ops, struct hypervisor *x)
{
	char path[PATH_MAX];

	for (size_t i = 0; i < d->session.ndomains; i++) {
		struct upf_domain *domain = &d->domains[i];

		if (domain->image || ops->host.kernel(x, domain->id, path, sizeof(path)) != 0)
			continue;
		domain->image = strdup(path);
		if (!domain->image)
			return -ENOMEM;
	}
	return 0;
}

void describe_free(struct description *d)
{
	for (size_t i = 0; d->domains && i < d->session.ndomains; i++)
		forget_image(&d->domains[i]);
	free(d->domains);
	memset(d, 0, sizeof(*d));
}
