/* Persistent collectives between ranks, for C: made once by all ranks in the same order, then started often. */
/* SPDX-License-Identifier: Apache-2.0 */
/*
       double dt;
       tacit_collective* shortest;
       tacit_allreduce_create(world, TACIT_DOUBLE, 1, NULL, &dt, TACIT_MIN, &shortest);
       dt = step_of_this_rank();
       tacit_collective_run(shortest);                               // now it is the least of all ranks

   All ranks of a communicator make the same collectives in the same order, and start each equally often. One thread at
   a time uses one. What differs between ranks (kind, type, count) is found at the first use: TACIT_MISMATCH. Nothing is
   allocated, looked up or locked per call. tacit_comm.h includes this file. */
#ifndef TACIT_COLLECTIVES_H
#define TACIT_COLLECTIVES_H

#include "tacit_comm.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tacit_collective tacit_collective;

/** How an all-reduce combines two elements. */
/** TACIT_MAX and TACIT_MIN of floating-point numbers are NaN if any rank has a NaN. */
typedef int tacit_operation;
enum { TACIT_SUM = 0, TACIT_MAX = 1, TACIT_MIN = 2 };

/** accumulated[i] = f(accumulated[i], other[i]) for `count` elements; it fails never and calls nothing of Tacit.
    @param context  as the caller gave it */
typedef void (*tacit_combine)(void* accumulated, const void* other, size_t count, void* context);

/** Combines element i of all ranks into element i of `out` on all ranks: in the order of ranks on a node, then of
    nodes, so that results are bitwise identical on all ranks.
    @param count  the same on all ranks
    @param in     `count` elements of the caller; NULL: what is in `out` before
    @param out    `count` elements of the caller; both outlive the collective and are on loan during a call */
tacit_status tacit_allreduce_create(tacit_comm* comm, tacit_type type, size_t count, const void* in, void* out,
                                    tacit_operation operation, tacit_collective** collective);
/** The same with a function of the caller.
    @param element_bytes  size of an element, of any kind */
tacit_status tacit_allreduce_create_function(tacit_comm* comm, size_t element_bytes, size_t count, const void* in,
                                             void* out, tacit_combine combine, void* context,
                                             tacit_collective** collective);
/** A call ends when every rank has started it. */
tacit_status tacit_barrier_create(tacit_comm* comm, tacit_collective** collective);
/** Copies what `data` holds on rank `root` to `data` on all ranks. */
tacit_status tacit_broadcast_create(tacit_comm* comm, uint32_t root, tacit_type type, size_t count, void* data,
                                    tacit_collective** collective);
/** Block j of rank i becomes block i of rank j.
    @param count    elements of a block, the same on all ranks
    @param in, out  blocks by rank, not the same memory; both NULL: memory of the library, which saves a copy */
tacit_status tacit_alltoall_create(tacit_comm* comm, tacit_type type, size_t count, const void* in, void* out,
                                   tacit_collective** collective);
/** The same with blocks of any sizes, which stay from call to call. Making it waits for the other ranks, which compare
    what each sends with what each expects: TACIT_MISMATCH names the two.
    @param sent      elements for each rank, as many numbers as there are ranks
    @param received  elements from each rank
    @param in, out   blocks by rank, one behind the other, not the same memory; both NULL: memory of the library */
tacit_status tacit_alltoallv_create(tacit_comm* comm, tacit_type type, const size_t* sent, const size_t* received,
                                    const void* in, void* out, tacit_collective** collective);
/** Where what this rank brings to the next call of an all-to-all in memory of the library is written. Asked for before
    every call: it may be elsewhere. Waits until its last content has been read. */
tacit_status tacit_alltoall_input(tacit_collective* collective, void** input);
/** What it got in the last call, asked for after every call: it may be elsewhere. NULL: the memory is the caller's. */
const void* tacit_alltoall_output(tacit_collective* collective);

/** Begins the next call; does not block. TACIT_BAD_USE while one is under way. */
tacit_status tacit_collective_start(tacit_collective* collective);
/** TACIT_OK: the call is over, and waited for; TACIT_NOT_YET. */
tacit_status tacit_collective_test(tacit_collective* collective);
/** Waits for the end of the call on this rank. */
tacit_status tacit_collective_wait(tacit_collective* collective);
/** Start and wait; faster than these two. */
tacit_status tacit_collective_run(tacit_collective* collective);
/** When no call is under way. Sets *collective to NULL, and does nothing where it is. */
tacit_status tacit_collective_free(tacit_collective** collective);

#ifdef __cplusplus
}
#endif

#endif
