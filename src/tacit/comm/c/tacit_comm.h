/* Persistent one-sided messages between ranks, for C: connections, and windows that are set up once and used often. */
/* SPDX-License-Identifier: Apache-2.0 */
/*
       tacit_comm* world;                                            // ranks, as mpirun or srun started us; else one
       tacit_comm_create(NULL, &world);
       tacit_connection* right;
       tacit_connect(world, 1, 0, &right);
       tacit_send_window* out;
       tacit_send_window_create(right, TACIT_DOUBLE, 1024, NULL, 1, &out);
       fill(tacit_send_data(out));
       tacit_send_post(out);                                         // now the memory is on loan
       ...                                                           // compute
       if (tacit_send_wait(out) != TACIT_OK) puts(tacit_last_error());

   Every function that can fail returns a tacit_status and never ends the program. An object that could not be made is
   NULL; functions that return no status need one that was made. One thread at a time uses a connection and its windows;
   different connections may be used at once. The rules of windows are those of docs/guide/communication.md.

   This header and those that it includes are C89 and C++98. */
#ifndef TACIT_COMM_H
#define TACIT_COMM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The result of a function: one of these. An int, so that any other number is no undefined behaviour. */
typedef int tacit_status;
enum {
  TACIT_OK = 0,
  TACIT_NOT_YET = 1,   /**< of a test: what was asked for has not come; no error */
  TACIT_BAD_USE = 2,   /**< an argument or the order of calls is wrong */
  TACIT_MISMATCH = 3,  /**< the ends of a connection differ in number, type, length or depth of windows */
  TACIT_DEADLINE = 4,  /**< a wait reached its deadline */
  TACIT_PEER = 5,      /**< a rank has died, was stopped, failed or has left */
  TACIT_TRANSPORT = 6, /**< a transport failed, or does not reach the peer */
  TACIT_LAUNCH = 7,    /**< the launcher and this program disagree about the number of ranks */
  TACIT_SYSTEM = 8,    /**< the system failed: memory, files */
  TACIT_UNKNOWN = 9    /**< an error of ours */
};

/** The message of the last call of this thread that failed; it names ranks and hosts. Never NULL; valid until the
    next call of this thread that fails. */
const char* tacit_last_error(void);
/** "TACIT_PEER"; "TACIT_UNKNOWN" for any other number. */
const char* tacit_status_name(tacit_status status);

/** A group of ranks that can connect to each other. */
typedef struct tacit_comm tacit_comm;
/** One end of a connection; the peer makes the other. */
typedef struct tacit_connection tacit_connection;
typedef struct tacit_send_window tacit_send_window;
typedef struct tacit_recv_window tacit_recv_window;

/** Times in seconds; 0: the default. */
typedef struct tacit_options {
  double setup_deadline_s; /**< for a peer to take part in the set-up; 60 */
  double deadline_s;       /**< of every wait; 600 */
  double stopped_s;        /**< a rank of this node that a signal has stopped for as long is given up; 10 */
} tacit_options;

/** The ranks that the launcher started; alone: one rank. See tacit_comm_mpi.h for a communicator of MPI. Every rank
    calls it. @param options  may be NULL */
tacit_status tacit_comm_create(const tacit_options* options, tacit_comm** comm);
/** Every rank calls it, when its connections and collectives are freed. Sets *comm to NULL; does nothing where it is.
 */
tacit_status tacit_comm_free(tacit_comm** comm);
/** Announces that this rank ends because of an error: the waits of the others end, and tacit_comm_free does not wait.
 */
void tacit_comm_give_up(tacit_comm* comm);
uint32_t tacit_comm_rank(const tacit_comm* comm);
uint32_t tacit_comm_size(const tacit_comm* comm);
/** Waits until every rank has come here: for set-up and tests, slow. */
tacit_status tacit_comm_synchronise(tacit_comm* comm);

/** Neither blocks nor waits for the peer. The n-th connection to a rank with some key meets the n-th that the rank
    makes back with the same key. A connection of a rank to itself is one object with both ends. */
tacit_status tacit_connect(tacit_comm* comm, uint32_t peer, uint32_t key, tacit_connection** connection);
/** When its windows are freed. Sets *connection to NULL, and does nothing where it is. */
tacit_status tacit_connection_free(tacit_connection** connection);
/** Waits until the peer has made its windows, and compares them with ours. The first use of a window does it, too. */
tacit_status tacit_connection_open(tacit_connection* connection);
/** "self", "shm", "mpi". */
const char* tacit_connection_provider(const tacit_connection* connection);

/** The type of elements of a window, the same at both ends. */
typedef int tacit_type;
enum {
  TACIT_BYTE = 0,
  TACIT_INT32 = 1,
  TACIT_INT64 = 2,
  TACIT_UINT32 = 3,
  TACIT_UINT64 = 4,
  TACIT_FLOAT = 5,
  TACIT_DOUBLE = 6
};

/** `blocks` pieces of `block` elements each, `stride` elements from the begin of one to that of the next. */
typedef struct tacit_strided {
  void* data;
  size_t blocks;
  size_t block;
  size_t stride;
} tacit_strided;

/** Window i that sends at one end of a connection belongs to window i that receives at the other. All are made before
    the first is used.
    @param count   elements of the longest message
    @param memory  `count` elements of the caller that outlive the window; NULL: memory of the library
    @param depth   messages that may be granted and not taken yet, 1 or more; the same at both ends */
tacit_status tacit_send_window_create(tacit_connection* connection, tacit_type type, size_t count, const void* memory,
                                      uint32_t depth, tacit_send_window** window);
tacit_status tacit_send_window_create_strided(tacit_connection* connection, tacit_type type,
                                              const tacit_strided* memory, uint32_t depth, tacit_send_window** window);
tacit_status tacit_send_window_free(tacit_send_window** window);
/** The memory to fill: the library's; NULL where it is the caller's. */
void* tacit_send_data(tacit_send_window* window);
size_t tacit_send_capacity(const tacit_send_window* window);
/** Sends all as soon as the receiver grants it; does not block. The memory is on loan. */
tacit_status tacit_send_post(tacit_send_window* window);
/** Sends the first `count` elements. TACIT_BAD_USE, with both lengths, if the window has not as many. */
tacit_status tacit_send_post_part(tacit_send_window* window, size_t count);
/** TACIT_OK: the memory may be used again; TACIT_NOT_YET. */
tacit_status tacit_send_test(tacit_send_window* window);
/** Waits until the memory may be used again: the message is on its way, not necessarily received. */
tacit_status tacit_send_wait(tacit_send_window* window);

/** As tacit_send_window_create. Memory of the caller holds the message that was taken last. */
tacit_status tacit_recv_window_create(tacit_connection* connection, tacit_type type, size_t count, void* memory,
                                      uint32_t depth, tacit_recv_window** window);
tacit_status tacit_recv_window_create_strided(tacit_connection* connection, tacit_type type,
                                              const tacit_strided* memory, uint32_t depth, tacit_recv_window** window);
tacit_status tacit_recv_window_free(tacit_recv_window** window);
size_t tacit_recv_capacity(const tacit_recv_window* window);
/** Grants one message more, `depth` at most; does not block. The message that was taken last is no longer valid. */
tacit_status tacit_recv_init(tacit_recv_window* window);
/** Takes the next granted message if it has come; TACIT_NOT_YET if not. */
tacit_status tacit_recv_test(tacit_recv_window* window);
/** Waits for the next granted message and takes it. */
tacit_status tacit_recv_wait(tacit_recv_window* window);
/** The message that was taken last, valid until the next tacit_recv_init; NULL where the caller's memory is strided. */
const void* tacit_recv_message(tacit_recv_window* window);
/** Its elements. */
size_t tacit_recv_count(tacit_recv_window* window);

#ifdef __cplusplus
}
#endif

#include "tacit_collectives.h"

#endif
