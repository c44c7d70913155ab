// A dictionary of what other programs call the same things.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/config/terms.hpp"

#include <algorithm>
#include <cctype>
#include <span>
#include <string>

namespace tacit::config {
namespace {

/// What users write, and what the keys that they may mean are called: the best answer first.
struct Term {
  std::string_view words;  ///< separated by blanks, as are the keys
  std::string_view keys;
};

constexpr Term terms[] = {
    {"nu mu re reynolds reynolds_number kinematic_viscosity visc", "viscosity"},
    {"kappa alpha conductivity thermal_diffusivity thermal_conductivity diffusion chi", "diffusivity"},
    {"pr", "prandtl"},
    {"resolution n nx ny nz ncells n_cells npoints n_points num_cells grid grid_size gridsize mesh size shape dims "
     "dimensions lattice lattice_size volume nside points cells extents",
     "points cells extents root resolution"},
    {"timestep time_step delta_t deltat dt dt_fixed fixed_dt step stepsize step_size", "dt dt_max time_step cfl"},
    {"courant courant_number cfl_number c_cfl courant_factor dt", "cfl"},
    {"eos equation_state polytrope", "equation_of_state gamma"},
    {"adiabatic_index gamma_gas heat_ratio specific_heat_ratio", "gamma"},
    {"theta opening opening_angle mac theta_cr", "angle tolerance criterion"},
    {"max_level maxlevel levels level_max lmax max_levels refinement_levels amr_levels nlevels n_levels", "finest"},
    {"tol eps epsilon rtol residual rel_tol accuracy precision", "tolerance force_tolerance"},
    {"maxiter max_iter maxits niter n_iter iterations", "max_iterations end"},
    {"temperature temp t0 t_start", "temperature"},
    {"tau damping tdamp t_damp tau_t friction gamma_ln", "relaxation_time"},
    {"ensemble nvt", "method"},
    {"t_end tend t_max tmax end_time t_final tfinal final_time stop stop_time tstop duration t_stop tlim time_max "
     "run_time",
     "end"},
    {"nsteps n_steps num_steps steps nstep run number_of_steps nlim", "max_steps end"},
    {"soft eps epsilon softening_length plummer_softening grav_softening", "softening"},
    {"neighbours neighbors n_ngb nngb desnumngb num_neighbours num_neighbors nneigh", "eta"},
    {"rc rcut r_cut cut cut_off cutoff_radius r_c", "cutoff"},
    {"skin_distance neighbor_skin verlet_skin", "skin"},
    {"slope_limiter slope reconstruction recon", "limiter"},
    {"flux fluxes riemann_solver hllc hll solver", "riemann"},
    {"random_seed rng rng_seed rand_seed iseed", "seed"},
    {"bc bcs boundaries boundary_conditions boundary_condition periodic pbc periodicity", "boundary walls low"},
    {"box_size boxsize length l lx ly lz domain domain_size box_length extent size", "box length"},
    {"m0 bare_mass quark_mass m", "mass"},
    {"hopping hopping_parameter k", "kappa"},
    {"c_sw clover", "csw"},
    {"coupling g g2", "beta constant"},
    {"newton gravitational_constant grav_const g", "constant"},
    {"snapshot_interval snap_interval output_interval output_every dt_snap dt_snapshot save_every plot_every dt_out "
     "delta_time_snapshot dump snapshots thermo",
     "snapshot_every statistics_every"},
    {"output_list output_times snap_times dump_times times_of_output output_time_list", "snapshot_times"},
    {"num_threads nthreads n_threads ncores cores cpus omp_num_threads", "threads"},
    {"output_dir outdir output_directory dir folder path output_folder basename", "directory"},
    {"force forced", "forcing"},
    {"pair_style force_field", "potential"},
    {"species symbols types atoms", "elements"},
    {"algorithm integrator scheme time_integrator time_stepping rk order_in_time", "scheme method stages"},
    {"multipole_order p_order expansion_order fmm_order", "order"},
    {"lattice_constant a a0 lattice_parameter", "constant"},
    {"ic ics initial_conditions init icfile ic_file input infile input_file init_cond_file", "file setup"},
    {"problem problem_id test test_case case", "setup"},
    {"self_gravity selfgravity with_gravity", "self"},
    {"restart_every checkpoint_interval restart_interval", "checkpoint_every checkpoint_steps"},
    {"walltime wall_time max_walltime time_limit", "wall_limit"}};

/// In small letters, behind the last dot, with underscores for dashes.
std::string plain(std::string_view name) {
  std::string word(name.substr(name.rfind('.') + 1));
  std::ranges::transform(word, word.begin(), [](unsigned char letter) {
    return letter == '-' ? '_' : static_cast<char>(std::tolower(letter));
  });
  return word;
}

/// From 1 on; 0: it is not among them.
int place_among(std::string_view words, std::string_view word) {
  for (int place = 1; !words.empty(); ++place) {
    const auto end = std::min(words.find(' '), words.size());
    if (words.substr(0, end) == word) return place;
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  return 0;
}

}  // namespace

int meaning_rank(std::string_view word, std::string_view key) {
  const std::string said = plain(word);
  const std::string name = plain(key);
  if (said == name) return 0;
  int best = 0;
  for (const Term& term : terms) {
    if (place_among(term.words, said) == 0) continue;
    const int rank = place_among(term.keys, name);
    if (rank > 0 && (best == 0 || rank < best)) best = rank;
  }
  return best;
}

}  // namespace tacit::config
