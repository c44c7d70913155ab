/* MPI's calls with MPI's arguments, carried out by windows where both ends have declared it, and by MPI elsewhere. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TACIT_MPI_SHIM_H
#define TACIT_MPI_SHIM_H

/*
       TACIT_Attach(grid, NULL);                                              // once, all ranks
       for each face: {
         TACIT_Declare_send(bytes, 2, neighbour[face], face, grid);           // what MPI_Isend will say
         TACIT_Declare_recv(bytes, 2, neighbour[face], opposite(face), grid); // what MPI_Irecv will say
       }
       TACIT_Commit(grid);                                                    // all ranks
       ... as before, with TACIT_ in place of MPI_ ...
       TACIT_Detach(grid);                                                    // all ranks, before MPI_Finalize

   What is declared is a channel from one rank to another with one tag: all messages that have them, from and to any
   memory, of any length and type, in MPI's order. Those that fit go through a window, longer ones through MPI. With

       #define TACIT_MPI_REPLACE
       #include "tacit_mpi_shim.h"     // in place of, or after, mpi.h

   a file's own calls of MPI become those of the shim. Requests of both have different types, so that a call that was
   forgotten is seen by the compiler. The rules stand in docs/guide/existing-codes.md.

   Functions return MPI's codes and call the communicator's error handler, as MPI does; tacit_last_error() has the words
   in full. One thread at a time calls them.

   The header is C89 and C++98, as many codes of MPI are. */
#include <mpi.h>

#include "tacit_comm.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Prepares a communicator; all of its ranks call it. @param options  may be NULL */
int TACIT_Attach(MPI_Comm comm, const tacit_options* options);
/** Declares what this rank will send: to a rank, with a tag. Nothing if the rank is MPI_PROC_NULL. The other end
    declares the same bytes and messages; a channel that has been declared before stays as it is.
    @param bytes     length of messages that fit, at least 1; longer ones and those of none go through MPI
    @param messages  that may be under way at once before their senders wait, at least 1: 2 suit a halo exchange */
int TACIT_Declare_send(MPI_Aint bytes, int messages, int dest, int tag, MPI_Comm comm);
/** Declares what this rank will receive: from a rank, with a tag, neither of them a wildcard. */
int TACIT_Declare_recv(MPI_Aint bytes, int messages, int source, int tag, MPI_Comm comm);
/** From here on what was declared goes through windows. All ranks call it, while no message of such a channel is under
    way. Declarations that do not match are an error on all ranks, and nothing is changed. */
int TACIT_Commit(MPI_Comm comm);
/** Takes all of it back. All ranks call it, when no request is under way; or MPI_Comm_free does. */
int TACIT_Detach(MPI_Comm comm);

/** How many messages this rank has sent through windows and through MPI, and how many collectives it took part in. */
typedef struct TACIT_Counts {
  uint64_t sent_by_window;
  uint64_t sent_by_mpi; /**< as they were too long, or of none, or of a type that is neither dense nor a vector */
  uint64_t collectives; /**< that were not left to MPI */
} TACIT_Counts;
int TACIT_Get_counts(MPI_Comm comm, TACIT_Counts* counts);

/** In place of MPI_Request, and of MPI_REQUEST_NULL. */
typedef struct TACIT_request* TACIT_Request;
#ifdef __cplusplus
#define TACIT_REQUEST_NULL static_cast<TACIT_Request>(NULL)
#else
#define TACIT_REQUEST_NULL ((TACIT_Request)0)
#endif
/** For functions of MPI that start what the shim does not know, as MPI_Iallreduce(..., TACIT_Foreign(&request)). */
MPI_Request* TACIT_Foreign(TACIT_Request* request);

int TACIT_Isend(const void* buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
                TACIT_Request* request);
/** A wildcard that might mean messages of a declared channel is an error: it would not see them. */
int TACIT_Irecv(void* buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, TACIT_Request* request);
int TACIT_Send(const void* buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm);
int TACIT_Recv(void* buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Status* status);
int TACIT_Sendrecv(const void* out, int out_count, MPI_Datatype out_type, int dest, int out_tag, void* in, int in_count,
                   MPI_Datatype in_type, int source, int in_tag, MPI_Comm comm, MPI_Status* status);
int TACIT_Wait(TACIT_Request* request, MPI_Status* status);
int TACIT_Test(TACIT_Request* request, int* flag, MPI_Status* status);
int TACIT_Waitall(int count, TACIT_Request* requests, MPI_Status* statuses);
int TACIT_Testall(int count, TACIT_Request* requests, int* flag, MPI_Status* statuses);
int TACIT_Waitany(int count, TACIT_Request* requests, int* index, MPI_Status* status);
int TACIT_Testany(int count, TACIT_Request* requests, int* index, int* flag, MPI_Status* status);
int TACIT_Waitsome(int count, TACIT_Request* requests, int* ended, int* indices, MPI_Status* statuses);
int TACIT_Testsome(int count, TACIT_Request* requests, int* ended, int* indices, MPI_Status* statuses);

/** Need no declaration, since all ranks give the same arguments: the first call with some length sets up what the later
    ones use. On communicators that are not attached, and of more lengths than are worth it, MPI does it. */
int TACIT_Alltoall(const void* out, int out_count, MPI_Datatype out_type, void* in, int in_count, MPI_Datatype in_type,
                   MPI_Comm comm);
/** Sums, maxima and minima of up to 2 KB of MPI's own numbers; else MPI does it. Results are bitwise identical on all
    ranks, which on more than two ranks may differ from MPI's in the order of the terms. "#undef MPI_Allreduce" behind
    this header leaves those of a file to MPI. */
int TACIT_Allreduce(const void* out, void* in, int count, MPI_Datatype type, MPI_Op operation, MPI_Comm comm);

#ifdef __cplusplus
}
#endif

#ifdef TACIT_MPI_REPLACE
#undef MPI_REQUEST_NULL
#define MPI_REQUEST_NULL TACIT_REQUEST_NULL
#define MPI_Request TACIT_Request
#define MPI_Isend TACIT_Isend
#define MPI_Irecv TACIT_Irecv
#define MPI_Send TACIT_Send
#define MPI_Recv TACIT_Recv
#define MPI_Sendrecv TACIT_Sendrecv
#define MPI_Wait TACIT_Wait
#define MPI_Test TACIT_Test
#define MPI_Waitall TACIT_Waitall
#define MPI_Testall TACIT_Testall
#define MPI_Waitany TACIT_Waitany
#define MPI_Testany TACIT_Testany
#define MPI_Waitsome TACIT_Waitsome
#define MPI_Testsome TACIT_Testsome
#define MPI_Alltoall TACIT_Alltoall
#define MPI_Allreduce TACIT_Allreduce
#endif

#endif
