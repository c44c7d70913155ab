// Heat in a periodic box: memory, layers at faces, and the seven-point stencil.
// SPDX-License-Identifier: Apache-2.0
#include "heat.h"

#include <stdlib.h>
#include <string.h>

static size_t at(const heat* field, int i, int j, int k) {
  return ((size_t)i * (size_t)(field->n[1] + 2) + (size_t)j) * (size_t)(field->n[2] + 2) + (size_t)k;
}

int heat_create(heat* field, const int first[3], const int n[3], int box) {
  for (int d = 0; d < 3; ++d) field->n[d] = n[d];
  const size_t cells = at(field, n[0] + 2, 0, 0);
  field->u = calloc(cells, sizeof(double));
  field->u_next = calloc(cells, sizeof(double));
  if (field->u == NULL || field->u_next == NULL) {
    heat_free(field);
    return 0;
  }
  for (int i = 1; i <= n[0]; ++i) {
    for (int j = 1; j <= n[1]; ++j) {
      for (int k = 1; k <= n[2]; ++k) {
        const int cell = ((first[0] + i - 1) * box + first[1] + j - 1) * box + first[2] + k - 1;
        field->u[at(field, i, j, k)] = 1.0 / (1.0 + (double)(cell % 101));
      }
    }
  }
  return 1;
}

void heat_free(heat* field) {
  free(field->u);
  free(field->u_next);
  field->u = field->u_next = NULL;
}

// The cells [low, high) of one layer at a face: `depth` 0 is the outermost own layer, 1 the ghosts beyond it.
static void layer_of(const heat* field, int face, int depth, int low[3], int high[3]) {
  for (int d = 0; d < 3; ++d) {
    low[d] = 1;
    high[d] = field->n[d] + 1;
  }
  const int d = face / 2;
  low[d] = face % 2 == 0 ? 1 - depth : field->n[d] + depth;
  high[d] = low[d] + 1;
}

size_t heat_face_size(const heat* field, int face) {
  const int d = face / 2;
  return (size_t)field->n[(d + 1) % 3] * (size_t)field->n[(d + 2) % 3];
}

void heat_pack(const heat* field, int face, double* layer) {
  int low[3];
  int high[3];
  layer_of(field, face, 0, low, high);
  for (int i = low[0]; i < high[0]; ++i) {
    for (int j = low[1]; j < high[1]; ++j) {
      for (int k = low[2]; k < high[2]; ++k) *layer++ = field->u[at(field, i, j, k)];
    }
  }
}

void heat_unpack(heat* field, int face, const double* layer) {
  int low[3];
  int high[3];
  layer_of(field, face, 1, low, high);
  for (int i = low[0]; i < high[0]; ++i) {
    for (int j = low[1]; j < high[1]; ++j) {
      for (int k = low[2]; k < high[2]; ++k) field->u[at(field, i, j, k)] = *layer++;
    }
  }
}

static void smooth(heat* field, int i, int j, int k) {
  const size_t stride_j = (size_t)field->n[2] + 2;
  const size_t stride_i = stride_j * ((size_t)field->n[1] + 2);
  const size_t c = at(field, i, j, k);
  const double* u = field->u;
  field->u_next[c] =
      0.4 * u[c] + 0.1 * (u[c - stride_i] + u[c + stride_i] + u[c - stride_j] + u[c + stride_j] + u[c - 1] + u[c + 1]);
}

void heat_smooth_inside(heat* field) {
  for (int i = 2; i < field->n[0]; ++i) {
    for (int j = 2; j < field->n[1]; ++j) {
      for (int k = 2; k < field->n[2]; ++k) smooth(field, i, j, k);
    }
  }
}

void heat_smooth_rim(heat* field) {
  const int* n = field->n;
  for (int i = 1; i <= n[0]; ++i) {
    for (int j = 1; j <= n[1]; ++j) {
      const int is_rim = i == 1 || i == n[0] || j == 1 || j == n[1];
      const int step = is_rim || n[2] == 1 ? 1 : n[2] - 1;  // else the first and the last cell of the row
      for (int k = 1; k <= n[2]; k += step) smooth(field, i, j, k);
    }
  }
}

void heat_swap(heat* field) {
  double* u = field->u;
  field->u = field->u_next;
  field->u_next = u;
}

uint64_t heat_checksum(const heat* field) {
  uint64_t sum = 0;
  for (int i = 1; i <= field->n[0]; ++i) {
    for (int j = 1; j <= field->n[1]; ++j) {
      for (int k = 1; k <= field->n[2]; ++k) {
        uint64_t bits;
        memcpy(&bits, &field->u[at(field, i, j, k)], sizeof(bits));
        sum += bits;
      }
    }
  }
  return sum;
}
