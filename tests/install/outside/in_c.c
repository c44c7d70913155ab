// A message to the own rank and a reduction, in C.
// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <tacit_collectives.h>
#include <tacit_comm.h>

static int is_good(tacit_status status) {
  if (status != TACIT_OK) fprintf(stderr, "%s: %s\n", tacit_status_name(status), tacit_last_error());
  return status == TACIT_OK;
}

int main(void) {
  tacit_comm* comm = NULL;
  tacit_connection* self = NULL;
  tacit_send_window* out = NULL;
  tacit_recv_window* in = NULL;
  tacit_collective* sum = NULL;
  double value = 42.0, total = 0.0;
  int good = is_good(tacit_comm_create(NULL, &comm)) && is_good(tacit_connect(comm, 0, 0, &self)) &&
             is_good(tacit_send_window_create(self, TACIT_DOUBLE, 1, &value, 1, &out)) &&
             is_good(tacit_recv_window_create(self, TACIT_DOUBLE, 1, NULL, 1, &in)) && is_good(tacit_recv_init(in)) &&
             is_good(tacit_send_post(out)) && is_good(tacit_recv_wait(in)) && is_good(tacit_send_wait(out));
  good = good && *(const double*)tacit_recv_message(in) == value;
  good = good && is_good(tacit_allreduce_create(comm, TACIT_DOUBLE, 1, &value, &total, TACIT_SUM, &sum)) &&
         is_good(tacit_collective_run(sum)) && is_good(tacit_collective_free(&sum)) && total == value;
  good = good && is_good(tacit_send_window_free(&out)) && is_good(tacit_recv_window_free(&in)) &&
         is_good(tacit_connection_free(&self)) && is_good(tacit_comm_free(&comm));
  return good ? 0 : 1;
}
