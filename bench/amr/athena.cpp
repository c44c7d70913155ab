// Starts Athena++, and reads off what it says of its speed.
// SPDX-License-Identifier: Apache-2.0
#include "amr/athena.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <system_error>

#include "sph/child.hpp"
#include "tacit/base/error.hpp"

namespace tacit::bench {
namespace {

std::string input_of(std::size_t side, std::size_t block, std::size_t steps) {
  std::string text = fmt::format(
      "<job>\nproblem_id = wave\n<time>\ncfl_number = 0.3\nnlim = {}\ntlim = 100\nintegrator = vl2\nxorder = 2\n"
      "ncycle_out = 0\n<mesh>\n",
      steps);
  for (int axis = 1; axis <= 3; ++axis) {
    text +=
        fmt::format("nx{0} = {1}\nx{0}min = 0\nx{0}max = 1\nix{0}_bc = periodic\nox{0}_bc = periodic\n", axis, side);
  }
  text += "<meshblock>\n";
  for (int axis = 1; axis <= 3; ++axis) text += fmt::format("nx{} = {}\n", axis, block);
  return text +
         "<hydro>\ngamma = 1.4\n<problem>\ncompute_error = false\nwave_flag = 0\namp = 1e-6\nvflow = 0\nang_2 = "
         "-999.9\n"
         "ang_3 = -999.9\n";
}

}  // namespace

Athena::Athena() : folder_(std::filesystem::temp_directory_path() / fmt::format("tacit-bench-amr-{}", ::getpid())) {
  const char* const value = std::getenv("TACIT_ATHENA");
  if (value == nullptr || *value == '\0') return;
  program_ = std::filesystem::absolute(value).string();
  std::filesystem::create_directories(folder_);
}

Athena::~Athena() {
  std::error_code ignored;
  if (is_there()) std::filesystem::remove_all(folder_, ignored);
}

double Athena::run(std::size_t side, std::size_t block, std::size_t steps) const {
  std::ofstream(folder_ / "athinput.wave") << input_of(side, block, steps);
  Child child({"/bin/sh", "-c", "OMP_NUM_THREADS=1 \"$0\" -i athinput.wave | grep '^zone-cycles/cpu_second'", program_},
              Output::to_us, folder_);
  const std::string line = child.read_line();  // zone-cycles/cpu_second = NUMBER
  child.wait_for_end();
  const std::size_t sign = line.find('=');
  const double speed = sign == std::string::npos ? 0.0 : std::strtod(line.c_str() + sign + 1, nullptr);
  if (!(speed > 0.0)) throw base::Error("the program that TACIT_ATHENA names has not said how fast it was");
  return speed;
}

}  // namespace tacit::bench
