/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/elf/unpack.h"
#include "common/regular_file.h"
#include "common/say.h"
#include "format/bytes/wire.h"

#include <errno.h>
#include <fcntl.h>
#include <lz4.h>
#include <lzma.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#define CHUNK 65536u
#define LZ4_BLOCK (8u << 20)             /* what a block of the legacy format unpacks to at most */
#define MEMORY_MAX ((uint64_t)256 << 20) /* of a decoder: Linux' images need 128 MiB */
#define WINDOW_LOG_MAX 27                /* the same for zstd */

/* What is packed, @left bytes from here on in the file; and where it goes. */
struct unpacking {
	FILE *in, *out;
	uint64_t left, made;
	bool from_boot_image; /* then the size stands behind it */
	uint8_t data[CHUNK];  /* @n bytes of it at @at are still to be unpacked */
	size_t at, n;
	uint8_t made_of[CHUNK];
};

static int fill(struct unpacking *u)
{
	size_t want = u->left < CHUNK ? (size_t)u->left : CHUNK;

	if (u->n)
		return 0;
	u->at = 0;
	u->n = fread(u->data, 1, want, u->in);
	u->left -= u->n;
	return u->n ? 0 : -ENODATA;
}

static int put_bytes(struct unpacking *u, const void *data, size_t n)
{
	if (n > UNPACK_MAX - u->made)
		return -EFBIG;
	u->made += n;
	return fwrite(data, 1, n, u->out) == n ? 0 : -EIO;
}

static void took(struct unpacking *u, size_t n)
{
	u->at += n;
	u->n -= n;
}

/* --- formats: each unpacks one stream. 0, -EBADMSG: it is damaged, or another negative errno --------------------- */

typedef int unpack_fn(struct unpacking *u);

/* What a decoder has not handed out yet, as it had no more @room, comes before further input. */
static int next_input(struct unpacking *u, size_t room)
{
	return room ? fill(u) : 0;
}

static int by_gzip(struct unpacking *u)
{
	z_stream z = {.avail_out = CHUNK};
	int rc = inflateInit2(&z, 16 + MAX_WBITS) == Z_OK ? 0 : -ENOMEM, step = Z_OK;

	while (rc == 0 && step != Z_STREAM_END && (rc = next_input(u, z.avail_out)) == 0) {
		z.next_in = u->data + u->at;
		z.avail_in = (uInt)u->n;
		z.next_out = u->made_of;
		z.avail_out = CHUNK;
		step = inflate(&z, Z_NO_FLUSH);
		took(u, u->n - z.avail_in);
		rc = step == Z_OK || step == Z_STREAM_END ? put_bytes(u, u->made_of, CHUNK - z.avail_out) : -EBADMSG;
	}
	inflateEnd(&z);
	return rc;
}

static int by_xz(struct unpacking *u)
{
	lzma_stream x = LZMA_STREAM_INIT;
	lzma_ret step = lzma_stream_decoder(&x, MEMORY_MAX, 0);
	int rc = step == LZMA_OK ? 0 : -ENOMEM;

	x.avail_out = CHUNK;
	while (rc == 0 && step != LZMA_STREAM_END && (rc = next_input(u, x.avail_out)) == 0) {
		x.next_in = u->data + u->at;
		x.avail_in = u->n;
		x.next_out = u->made_of;
		x.avail_out = CHUNK;
		step = lzma_code(&x, LZMA_RUN);
		took(u, u->n - x.avail_in);
		rc = step == LZMA_OK || step == LZMA_STREAM_END ? put_bytes(u, u->made_of, CHUNK - x.avail_out)
		     : step == LZMA_MEMLIMIT_ERROR              ? -ENOMEM
		                                                : -EBADMSG;
	}
	lzma_end(&x);
	return rc;
}

static int by_zstd(struct unpacking *u)
{
	ZSTD_DStream *z = ZSTD_createDStream();
	int rc = z && !ZSTD_isError(ZSTD_DCtx_setParameter(z, ZSTD_d_windowLogMax, WINDOW_LOG_MAX)) ? 0 : -ENOMEM;
	size_t step = 1, room = CHUNK;

	while (rc == 0 && step != 0 && (rc = next_input(u, room)) == 0) {
		ZSTD_inBuffer in = {u->data + u->at, u->n, 0};
		ZSTD_outBuffer out = {u->made_of, CHUNK, 0};

		step = ZSTD_decompressStream(z, &out, &in);
		took(u, in.pos);
		room = CHUNK - out.pos;
		rc = ZSTD_isError(step) ? -EBADMSG : put_bytes(u, u->made_of, out.pos);
	}
	ZSTD_freeDStream(z);
	return rc;
}

/* As many bytes. -ENODATA: there are fewer. */
static int take_bytes(struct unpacking *u, uint8_t *to, size_t n)
{
	while (n) {
		size_t part;
		int rc = fill(u);

		if (rc != 0)
			return rc;
		part = n < u->n ? n : u->n;
		memcpy(to, u->data + u->at, part);
		took(u, part);
		to += part;
		n -= part;
	}
	return 0;
}

static bool is_at_end(const struct unpacking *u)
{
	return u->left + u->n <= (u->from_boot_image ? 4 : 0);
}

/* The legacy frame of lz4_Frame_format.md: a magic number, and blocks behind their sizes up to the end of the file. */
static int by_lz4(struct unpacking *u)
{
	const uint32_t most = (uint32_t)LZ4_compressBound(LZ4_BLOCK);
	uint8_t *block = malloc(most), *plain = malloc(LZ4_BLOCK), word[4];
	int rc = block && plain ? take_bytes(u, word, sizeof(word)) : -ENOMEM;

	while (rc == 0 && !is_at_end(u)) {
		uint32_t size;
		int n;

		rc = take_bytes(u, word, sizeof(word));
		size = rc == 0 ? peek_u32(word) : 0;
		if (rc == 0)
			rc = size && size <= most ? take_bytes(u, block, size) : -EBADMSG;
		if (rc != 0)
			break;
		n = LZ4_decompress_safe((const char *)block, (char *)plain, (int)size, LZ4_BLOCK);
		rc = n >= 0 ? put_bytes(u, plain, (size_t)n) : -EBADMSG;
	}
	free(block);
	free(plain);
	return rc;
}

/* --- what the file is -------------------------------------------------------------------------------------------- */

/* NULL: none that is known. */
static unpack_fn *format_of(const uint8_t *data, size_t n, const char **name)
{
	static const struct {
		const char *name, *magic;
		size_t len;
		unpack_fn *unpack;
	} formats[] = {{"gzip", "\x1f\x8b\x08", 3, by_gzip},
	               {"xz",
	                "\xfd"
	                "7zXZ",
	                6, by_xz},
	               {"zstd", "\x28\xb5\x2f\xfd", 4, by_zstd},
	               {"lz4", "\x02\x21\x4c\x18", 4, by_lz4}};

	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		if (n >= formats[i].len && memcmp(data, formats[i].magic, formats[i].len) == 0) {
			*name = formats[i].name;
			return formats[i].unpack;
		}
	}
	return NULL;
}

/*
 * Where the kernel is in a boot image of x86, by its setup header (Linux' Documentation/arch/x86/boot.rst, protocol 2.08
 * or later). 0: it is none.
 */
static uint64_t payload_in(const uint8_t *head, size_t n, uint64_t *length)
{
	if (n < 0x250 || memcmp(head + 0x202, "HdrS", 4) != 0 || head[0x1fe] != 0x55 || head[0x1ff] != 0xaa ||
	    peek_u16(head + 0x206) < 0x208)
		return 0;
	*length = peek_u32(head + 0x24c);
	return ((head[0x1f1] ? head[0x1f1] : 4u) + 1) * 512ull + peek_u32(head + 0x248);
}

static int explain_unpack(int rc, const char *name, char *why, size_t size)
{
	if (rc == -EBADMSG || rc == -ENODATA)
		return failure(why, size, rc, "packed by %s, and %s", name, rc == -ENODATA ? "cut off" : "damaged");
	if (rc == -EFBIG)
		return failure(why, size, rc, "packed by %s, and larger than 1 GiB", name);
	return failure(why, size, rc, "cannot be unpacked: %s", strerror(-rc));
}

/* 0, or a negative errno with one line in @why; u->in stands at its beginning. */
static int unpack_stream(struct unpacking *u, uint64_t file_size, char *why, size_t size)
{
	const char *name = NULL;
	uint64_t at, length = 0;
	unpack_fn *by;
	int rc;

	u->left = file_size;
	rc = fill(u);
	at = payload_in(u->data, u->n, &length);
	u->from_boot_image = at != 0;
	if (rc == 0 && at) {
		if (at > file_size || length > file_size - at)
			return failure(why, size, -ENODATA, "a boot image, and cut off");
		u->n = 0;
		u->left = length;
		rc = fseeko(u->in, (off_t)at, SEEK_SET) == 0 ? fill(u) : -errno;
	}
	by = rc == 0 ? format_of(u->data + u->at, u->n, &name) : NULL;
	if (!by && !u->from_boot_image)
		return -ENOENT;
	if (!by)
		return failure(why, size, -ENOTSUP,
		               "a boot image that is not packed by gzip, xz, zstd or lz4: the vmlinux in it, "
		               "unpacked, or a copy of /proc/kallsyms is needed");
	rc = by(u);
	return rc == 0 ? 0 : explain_unpack(rc, name, why, size);
}

/* Of an unnamed file with what was written to it; or a negative errno. */
static int descriptor_of(FILE *out)
{
	int fd = fflush(out) == 0 ? fcntl(fileno(out), F_DUPFD_CLOEXEC, 3) : -1;

	return fd < 0 || lseek(fd, 0, SEEK_SET) < 0 ? -errno : fd;
}

int unpack_file(const char *path, char *why, size_t size)
{
	int in = regular_file_open(path), rc = -ENOENT;
	struct unpacking *u = calloc(1, sizeof(*u));
	off_t length;

	if (in >= 0 && u) {
		u->in = fdopen(in, "r");
		u->out = unnamed_file();
		rc = u->in && u->out ? 0 : explain_unpack(-errno, NULL, why, size);
	}
	if (rc == 0) {
		length = lseek(in, 0, SEEK_END);
		rewind(u->in);
		rc = unpack_stream(u, length > 0 ? (uint64_t)length : 0, why, size);
		if (rc == 0 && (rc = descriptor_of(u->out)) < 0)
			explain_unpack(rc, NULL, why, size);
	}
	if (u && u->in)
		fclose(u->in);
	else if (in >= 0)
		close(in);
	if (u && u->out)
		fclose(u->out);
	free(u);
	return rc;
}
