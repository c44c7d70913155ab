// Heat in a periodic box: the part of a rank, with one layer of ghost cells around it.
// SPDX-License-Identifier: Apache-2.0
#ifndef HEAT_H
#define HEAT_H

#include <stddef.h>
#include <stdint.h>

enum { FACES = 6 };  // 2 d: towards lower coordinates in dimension d; 2 d + 1: towards higher ones

typedef struct heat {
  int n[3];        // own cells in each dimension
  double* u;       // (n[0] + 2) (n[1] + 2) (n[2] + 2) values, the last dimension varies fastest
  double* u_next;  // of the next step
} heat;

// Own cells of a box of `box`^3 cells, the first of which is `first`. Returns 0 if there is no memory.
int heat_create(heat* field, const int first[3], const int n[3], int box);
void heat_free(heat* field);

// Own cells of the layer at a face, and the ghost cells beyond it; as many of these.
size_t heat_face_size(const heat* field, int face);
void heat_pack(const heat* field, int face, double* layer);
void heat_unpack(heat* field, int face, const double* layer);

// Computes the next values of the cells that need no ghosts, of those that do, and takes the step.
void heat_smooth_inside(heat* field);
void heat_smooth_rim(heat* field);
void heat_swap(heat* field);

// The sum of the bits of all own values: the same in any order.
uint64_t heat_checksum(const heat* field);

#endif
