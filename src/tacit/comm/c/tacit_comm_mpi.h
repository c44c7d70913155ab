/* The ranks of an MPI communicator, for C; in builds with MPI. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TACIT_COMM_MPI_H
#define TACIT_COMM_MPI_H

#include <mpi.h>

#include "tacit_comm.h"

#ifdef __cplusplus
extern "C" {
#endif

/** As tacit_comm_create, with the ranks of `ranks`. The caller starts MPI before and ends it afterwards. All of them
    call it. @param options  may be NULL */
tacit_status tacit_comm_create_mpi(MPI_Comm ranks, const tacit_options* options, tacit_comm** comm);

/** The same for Fortran, where a communicator is a number: `comm` of the module mpi, comm%mpi_val of mpi_f08. */
tacit_status tacit_comm_create_mpi_fortran(MPI_Fint ranks, const tacit_options* options, tacit_comm** comm);

#ifdef __cplusplus
}
#endif

#endif
