"""Every benchmark runs with tiny sizes and gives the figures that were promised; times are not judged.

SPDX-License-Identifier: Apache-2.0

TACIT_BENCH_PROGRAM names the program; ctest sets it.
"""

from __future__ import annotations

import json
import math
import os
import shutil
import subprocess
import sys
import unittest

PROGRAM = os.environ["TACIT_BENCH_PROGRAM"]
LONGEST_S = 240.0
"""Ends a run that hangs."""

PAIRS = ["pair_density_scalar_ns", "pair_force_scalar_ns", "pair_hit_share", "pair_list_vs_all", "peak_gflops",
         "pair_peak_flops_fraction", "pair_sorted_vs_naive"]
SIZES = ["512B", "4KB", "64KB", "256KB", "1MB"]
FACES = ["64B", "1KB", "8KB", "64KB"]
CUBES = [64, 128, 256]
BESIDE_MPI = {
    "sph_ranks": ["balance_4r_largest_over_mean", "balance_4r_curve", "balance_4r_particles"],
    "comm": ["put_8B_vs_mpi", "window_64KB_vs_mpi", "window_64KB_mpi_vs_isend", "allreduce_8B_vs_mpi",
             "barrier_vs_mpi", "broadcast_64KB_vs_mpi", "allgather_64KB_vs_mpi",
             *[f"alltoall_{size}_vs_mpi" for size in SIZES], *[f"halo_{size}_vs_mpi" for size in FACES],
             *[f"halo_{size}_peer_vs_mpi" for size in FACES]],
    "fft": [f"fft_{cube}_{ranks}_ms" for cube in CUBES for ranks in (1, 2)],
    "dns": [*[f"substage_{cube}_2x1_floor_ratio" for cube in CUBES], "transpose_share"],
    "exchange": ["exchange_halo_64B_vs_mpi", "exchange_halo_8KB_vs_mpi"],
    "talks": ["pmr_halo_1KB_vs_mpi", "pmr_allreduce_8B_vs_mpi", "psdns_alltoall_64KB_vs_mpi", "hybrid_pool_vs_master",
              "hybrid_write_all_4_files"],
    "sph_ranks": ["rss_4r_share"],
    "coarse": ["coarse_sums_per_iteration",
               *[f"coarse_{ranks}r_{figure}" for ranks in (2, 4) for figure in
                 ("iteration_us", "halo_us", "sums_us", "vs_mpi", "exposed_share", "bytes_share", "flops_share")]],
    "io": [f"write_{what}_{figure}" for figure in ("ratio", "files", "opens")
           for what in ("one_2", "nodes_2", "n2_2", "all_2", "shared_2", "one_4", "nodes_4", "n2_4", "all_4",
                        "shared_4", "flat_4x1")],
}
"""Those that are there where it is built with MPI."""
BETWEEN_NODES = {
    "actions": ["wire_messages_per_1000"],
    "dns": ["substage_2n_over_larger", "transpose_2n_hidden_fraction"],
    "exchange": ["heat_2n_step_over_longer", "heat_2n_hidden_of_possible"],
    "sph_ranks": [f"kh128_2n{wire}_{figure}" for wire in ("", "_100mbit_0us")
                  for figure in ("ms", "step_over_longer", "hidden_of_possible")],
    "md": ["md_4n_ghosts_vs_flat", "md_4n_wire_ghosts_vs_flat"],
    "talks": ["hybrid_nodes4x4_all_to_all_40KB_vs_mpi", "psdns_transpose_2n_share", "octotiger_star_2x1_mpi_ms"],
}
"""Likewise, and where nodes can be emulated."""
PROMISED = {
    "tasks": ["graph_reused_2t_ns", "graph_reused_1t_ns", "stencil_reused_2t_ns", "wavefront_2t_ns", "wavefront_1t_ns",
              "build_2t_ns", "two_locks_2t_ns", "spawn_2t_ns", "fib_2t_ns", "inactive_task_ns",
              "loop_static_1_2t_ns", "loop_static_64_2t_ns", "loop_dynamic_1_2t_ns", "loop_dynamic_64_2t_ns",
              "efficiency_graph_1us", "efficiency_graph_200ns", "efficiency_spawn_1us", "efficiency_spawn_200ns",
              "trace_task_ns", "two_threads_vs_one",
              *[f"two_threads_vs_one_{what}" for what in ("graph_reused", "stencil_reused", "wavefront", "build",
                                                          "two_locks", "spawn", "fib")]],
    "sph": ["kh64_gadget2_updates_per_core_s", "kh64_sphenix_updates_per_core_s",
            "kh64_gadget2_symmetric_vs_gather", "kh64_sphenix_symmetric_vs_gather", "peak_flops_fraction",
            "memory_bandwidth_fraction", "bytes_per_particle", "all_active_us", "active_1_percent_us",
            "active_1_percent_scattered_us", "sort_10M_2t_speedup", "sort_10M_2t_ns",
            *[f"sort_10M_2t_{part}_ms" for part in ("refine", "sort", "link", "graph")], *PAIRS],
    "sph_pairs": PAIRS,
    "sph_ranks": ["kh128_2r_speedup", "kh128_2r_vs_2t", "kh128_2r_exposed_share", "bytes_per_foreign_particle_step",
                  "active_1_percent_2r_us", "active_1_percent_2r_vs_1r", "sph_messages_10k",
                  "sph_messages_10k_step_share", "sedov_bins", "sedov_bytes_per_step_10_to_100_percent",
                  "sedov_steps_without_messages_share"],
    "comm": ["put_8B_flags", "put_64B_flags", "window_8KB_memcpy_ratio", "window_64KB_memcpy_ratio",
             "window_1MB_memcpy_ratio", "message_rate_8B", "dispatch_ns", "allreduce_8B_flags", "buffered_64KB_ratio",
             "barrier_us", "broadcast_8B_us", "allgather_8B_us", "allgather_view_64KB_us",
             *[f"alltoall_{size}_bound_ratio" for size in SIZES], *[f"alltoallv_{size}_ratio" for size in SIZES],
             *[f"halo_{size}_{figure}" for size in FACES for figure in
               ("us", "peer_us", "overlapped_us", "exposed_share", "hidden_fraction")]],
    "work_pool": ["pool_s", "pool_idle_share", "pool_threads_s", "pool_threads_idle_share", "notice_flags",
                  "fetch_add_ns", "fetch_add_shared_ns", "fetch_add_shared_flags"],
    "nodes": ["nodes4x1_all_to_all_40KB_vs_mpi", "nodes4x4_all_to_all_40KB_vs_mpi", "nodes4x4_all_gather_40KB_vs_mpi",
              "nodes2x1_halo_64B_hidden", "nodes2x1_halo_64KB_hidden", "nodes2x1_halo_1KB_vs_mpi",
              "nodes2x1_put_8B_vs_mpi", "nodes2x1_put_1MB_us"],
    "fft": ["fft_64_1_ms"],
    "dns": [f"substage_{cube}_1x1_{figure}" for cube in CUBES for figure in ("floor_ratio", "ms", "words_per_point")],
    "exchange": ["exchange_halo_64B_us", "exchange_halo_64B_over_windows_us", "exchange_halo_8KB_us",
                 "exchange_halo_8KB_over_windows_us", "exchange_halo_8KB_poll_share", "exchange_task_us",
                 "exchange_poll_share", "exchange_poll_10000_over_100", "bandwidth_1r_gbs", "bandwidth_2r_gbs",
                 *[f"heat_2r_{figure}_{cube}" for cube in (64, 256) for figure in ("speedup", "exposed_share")],
                 "heat_2r_speedup_256_of_bandwidth"],
    "io": ["dirty_at_start_MB", "durable_write_ratio", "automatic_strategy_ratio", "restart_read_ratio",
           *[f"write_{what}_{figure}" for what in ("one_1", "nodes_1", "n2_1", "all_1", "shared_1", "hybrid_1x4")
             for figure in ("ratio", "files", "opens")],
           "output_share_sedov", "output_share_sedov_uncompressed", "step_time_during_output_ratio", "whole_wall_ratio",
           "compression_cpu_s_per_GB", "staging_peak_ratio", "log_record_ns", "checksum_GB_per_s"],
    "md": ["lj_melt_32k_double", "tersoff_si_4k_double", "tersoff_si_32k_double"],
    "amr": ["hydro_8_plm_cells_per_core_s", "hydro_16_plm_cells_per_core_s", "regrid_share", "amr_2r_exposed_share",
            "bytes_per_cell"],
    "qcd": ["dslash_fp32_mem_fraction", "dslash_fp64_mem_fraction", "dslash_fp32_cache_peak",
            "dslash_2r_exposed_share", "sources_at_once_speedup"],
    "coarse": [],
    "fmm": ["p2p_newtonian_fp32_pairs_per_s", "p2p_plummer_fp32_pairs_per_s", "p2p_plummer_fp32_peak_fraction",
            "p2p_plummer_fp32_mutual_pairs_per_s", "p2p_wendland_c2_fp32_pairs_per_s", "p2p_plummer_fp64_pairs_per_s",
            "m2l_p5_per_s", "m2l_p5_peak_fraction", "m2l_p5_alone_per_s",
            "plummer_32k_bodies_per_s", "plummer_32k_rms_error"],
    "slots": ["host_slot_overhead_ns", "host_slot_device_share", "slot_bookkeeping_ns", "fallback_penalty"],
    "talks": ["swift_pair_sorted_vs_naive", "swift_pair_avx2_vs_scalar"],
    "actions": ["flood_peak_bytes", "action_round_trip_flags", "actions_per_s_2r", "movable_actions_per_s_2r",
                "action_64KB_memcpy_ratio", "channel_local_ns", "channel_2r_ns"],
}
"""The names in issues, which are kept."""

CAN_EMULATE_NODES = os.geteuid() == 0 and all(map(shutil.which, ("ip", "tc", "mpirun")))

if len(os.sched_getaffinity(0)) > 1:
    PROMISED["sph"].append("threads_2_vs_2_processes")
    PROMISED["dns"] += [f"substage_{cube}_1x2_floor_ratio" for cube in CUBES]
    PROMISED["io"] += [f"output_hidden_fraction_{solver}_1x2" for solver in ("heat", "dns", "sph")]
    BESIDE_MPI["io"] += [f"output_hidden_fraction_{solver}_2x1" for solver in ("heat", "dns")]


def run(*arguments: str, code: int = 0) -> str:
    """Runs the program to its end; returns what it printed."""
    done = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=LONGEST_S, check=False)
    assert done.returncode == code, f"exit code {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout if code == 0 else done.stderr


class Smoke(unittest.TestCase):
    def test_the_list_names_every_benchmark(self) -> None:
        self.assertEqual([line.split()[0] for line in run().splitlines()], list(PROMISED))

    def test_every_promised_figure_is_there_and_finite(self) -> None:
        for name, promised in PROMISED.items():
            if name == "nodes" and not CAN_EMULATE_NODES:
                print("SKIPPED: the benchmark 'nodes' needs root, iproute2 and Open MPI", file=sys.stderr)
                continue
            report = json.loads(run(name, "--json", "--quick"))
            values = {result["name"]: result["value"] for result in report["results"]}
            if "MPI" in report["machine"]["peers"]:
                promised = promised + BESIDE_MPI.get(name, [])
                if CAN_EMULATE_NODES:
                    promised = promised + BETWEEN_NODES.get(name, [])
            if "FFTW-MPI" in report["machine"]["peers"]:
                promised = promised + [f"fft_{cube}_{ranks}_vs_fftwmpi" for cube in CUBES for ranks in (1, 2)]
            if "LAMMPS" in report["machine"]["peers"]:
                promised = promised + ["lj_melt_32k_vs_lammps", "tersoff_si_4k_vs_lammps", "tersoff_si_32k_vs_lammps"]
            self.assertEqual([figure for figure in promised if figure not in values], [], name)
            self.assertEqual([figure for figure, value in values.items() if not math.isfinite(value)], [], name)
            self.assertEqual(len(values), len(report["results"]), "names are unique")
            for result in report["results"]:
                self.assertEqual(result["reference"] is None, result["reference_name"] is None)
            self.assertLessEqual({"host", "cpu", "cores_allowed", "compiler", "flags", "commit", "date"},
                                 report["machine"].keys())

    def test_help_says_the_workload(self) -> None:
        for name in PROMISED:
            self.assertIn("usage: ./tacit bench " + name, run(name, "--help"))

    def test_unknown_name(self) -> None:
        self.assertIn("did you mean 'tasks'?", run("taks", code=2))


if __name__ == "__main__":
    sys.exit(unittest.main())
