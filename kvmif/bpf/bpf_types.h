/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* bpf_types.h - the types that libbpf's headers want, which else come with all types of a kernel. */
#ifndef KVMIF_BPF_BPF_TYPES_H
#define KVMIF_BPF_BPF_TYPES_H

typedef unsigned char __u8;
typedef unsigned short __u16;
typedef unsigned int __u32, __be32, __wsum;
typedef unsigned long long __u64;
typedef short __s16;
typedef int __s32;
typedef long long __s64;
typedef unsigned short __be16;
enum bpf_map_type { BPF_MAP_TYPE_UNSPEC };

#endif
