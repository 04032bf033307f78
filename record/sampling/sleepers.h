/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sleepers.h - which vCPUs a round leaves out. A vCPU that has slept for a while is expected to sleep on: its registers
 * and stack are not read again, and its sample is what it was.
 */
#ifndef RECORD_SAMPLING_SLEEPERS_H
#define RECORD_SAMPLING_SLEEPERS_H

#include "record/sampling/vcpu_stacks.h"

/* Before a round. With all registers, each vCPU is read in each round. */
void sleepers_choose(struct vcpu_stacks *all);
/* The round is to read all vCPUs. */
void sleepers_choose_none(struct vcpu_stacks *all);
/*
 * After collect(). False: a vCPU that was left out has run after all. From then on it must sleep for longer before it is
 * left out: so a vCPU that wakes often costs few rounds that are taken twice.
 */
bool sleepers_all_slept(struct vcpu_stacks *all);
/* After a round that was taken: how long sample @i's vCPU has slept. */
void sleepers_count(struct vcpu_stacks *all, size_t i);

#endif
