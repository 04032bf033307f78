/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * gdbstub.c - stops a guest by QEMU's gdbstub, reads its registers and 256 bytes of its stack, lets it go on: so
 * often, and prints for how long it stood still at the median. What a debugger must do for a sample. gdbstub PORT
 * SAMPLES
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static int fd;
static char buffer[65536]; /* what was received and not read yet, */
static size_t have;
static char packet[65536]; /* and the packet read last, without what encloses it */

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void must(int ok, const char *what)
{
	if (ok)
		return;
	perror(what);
	exit(1);
}

static void send_text(const char *text)
{
	must(write(fd, text, strlen(text)) == (ssize_t)strlen(text), "write");
}

static void send_packet(const char *body)
{
	char whole[64];
	unsigned sum = 0;

	for (const char *c = body; *c; c++)
		sum += (unsigned char)*c;
	snprintf(whole, sizeof(whole), "$%s#%02x", body, sum & 0xff);
	send_text(whole);
}

/* The end of the first whole packet that was received; NULL: there is none yet. */
static char *packet_end(void)
{
	char *start = memchr(buffer, '$', have),
	     *end = start ? memchr(start, '#', have - (size_t)(start - buffer)) : NULL;

	return end && end + 3 <= buffer + have ? end : NULL;
}

/* The next packet, acknowledged, whose length is at least @least: others tell of what else has happened. */
static void read_packet(size_t least)
{
	size_t length;

	do {
		char *start, *end;

		while (!(end = packet_end())) {
			ssize_t got = read(fd, buffer + have, sizeof(buffer) - have);

			must(got > 0, "read");
			have += (size_t)got;
		}
		start = memchr(buffer, '$', have);
		length = (size_t)(end - start) - 1;
		memcpy(packet, start + 1, length);
		packet[length] = '\0';
		have -= (size_t)(end + 3 - buffer);
		memmove(buffer, end + 3, have);
		send_text("+");
	} while (length < least);
}

static void connect_to(int port)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
	int one = 1;

	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	fd = socket(AF_INET, SOCK_STREAM, 0);
	must(fd >= 0 && connect(fd, (struct sockaddr *)&at, sizeof(at)) == 0, "connect");
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
}

/* Register 7 of the answer is the stack pointer, in hexadecimal, lowest byte first. */
static uint64_t stack_pointer(void)
{
	uint64_t sp = 0;

	for (int i = 7; i >= 0; i--) {
		char byte[3] = {packet[7 * 16 + 2 * i], packet[7 * 16 + 2 * i + 1], '\0'};

		sp = sp << 8 | strtoul(byte, NULL, 16);
	}
	return sp;
}

static uint64_t sample(void)
{
	uint64_t began = now();
	char ask[40];

	send_text("\x03");
	read_packet(3); /* it stands */
	send_packet("g");
	read_packet(17 * 16);
	snprintf(ask, sizeof(ask), "m%llx,100", (unsigned long long)stack_pointer());
	send_packet(ask);
	read_packet(512);
	send_packet("c");
	return now() - began;
}

static int compare(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

int main(int argc, char **argv)
{
	size_t n = argc == 3 ? strtoul(argv[2], NULL, 10) : 0;
	uint64_t *took = n ? calloc(n, sizeof(*took)) : NULL;

	if (!took) {
		fputs("usage: gdbstub PORT SAMPLES\n", stderr);
		return 2;
	}
	connect_to(atoi(argv[1]));
	send_packet("?");
	read_packet(3);
	send_packet("c");
	for (size_t i = 0; i < n; i++) {
		nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
		took[i] = sample();
	}
	qsort(took, n, sizeof(*took), compare);
	printf("%.1f\n", (double)took[n / 2] / 1e3);
	free(took);
	return 0;
}
