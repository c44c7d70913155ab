// Exchanges the layers at the six faces with the neighbours: one interface, by MPI and by Tacit's windows.
// SPDX-License-Identifier: Apache-2.0
#ifndef HALO_H
#define HALO_H

#include <mpi.h>

#include "heat.h"

typedef struct halo halo;

// `ranks` is a periodic Cartesian communicator. Ends the program with a message if it fails.
halo* halo_create(MPI_Comm ranks, const heat* field);
void halo_begin(halo* exchange, const heat* field);
void halo_end(halo* exchange, heat* field);
void halo_free(halo* exchange);

#endif
