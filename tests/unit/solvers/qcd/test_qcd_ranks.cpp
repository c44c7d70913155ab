// The lattice on several ranks and threads, in every division: the same bits as on one.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "on_division.hpp"
#include "on_lattice.hpp"
#include "support/test_folder.hpp"
#include "support/under_sanitizer.hpp"
#include "tacit/base/error.hpp"
#include "tacit/engine/error.hpp"
#include "tacit/solvers/qcd/correlators.hpp"
#include "tacit/solvers/qcd/formats/gauge_file.hpp"
#include "tacit/solvers/qcd/formats/ildg.hpp"
#include "tacit/solvers/qcd/formats/nersc.hpp"
#include "tacit/solvers/qcd/methods.hpp"
#include "tacit/solvers/qcd/solve.hpp"
#include "unit/comm/polling.hpp"
#include "unit/comm/quiet_steps.hpp"
#include "unit/comm/ranks.hpp"

namespace tacit::qcd {
namespace {

using testing::gather;
using testing::lattice_extents;
using testing::on_division;
using testing::OnRank;
using testing::own_links;
using testing::own_part;
using testing::PlainField;
using testing::random_spinors;
using testing::Ranks;
using testing::text;
using testing::Workers;

/// Each axis, and mixed; folded along it or not; parts that are the blocks before and behind it; parts of unequal size.
const std::vector<Ranks> divisions{{2, {2, 1, 1, 1}}, {2, {1, 2, 1, 1}}, {2, {1, 1, 2, 1}}, {2, {1, 1, 1, 2}},
                                   {3, {1, 1, 1, 3}}, {4, {1, 1, 1, 4}}, {4, {2, 1, 1, 2}}, {4, {1, 2, 2, 1}}};
/// What operators and sums come to.
struct Applied {
  std::vector<PlainField> fields;
  std::vector<double> sums;
  friend bool operator==(const Applied&, const Applied&) = default;
};

template <class T>
using ChooseLoops = std::function<kernels::Loops<T>(std::size_t lanes)>;

template <class T>
Applied apply_all(const Ranks& ranks, const GaugeField& gauge, double csw, const ChooseLoops<T>& choose,
                  const std::function<void(FieldSpace<T>&, std::size_t rank)>& spoil = {}, std::size_t workers = 1) {
  Applied result;
  result.fields.assign(5, PlainField(lattice_extents.sites()));
  const PlainField psi = random_spinors(lattice_extents, 3);
  on_division(ranks, workers, [&](OnRank& rank, const Division& division) {
    FieldSpace<T> space(division, choose(most_lanes(division.part())), rank.on.scheduler);
    if (spoil) spoil(space, number(rank.world.rank()));
    const DiracOperator<T> dirac(space, own_links(gauge, division.part()), {.mass = 0.2, .csw = csw});
    const SchurOperator<T> schur(dirac);
    const Field<T> in = own_part(space, psi);
    Field<T> out = space.make();
    Field<T> odd = schur.make();
    Field<T> more = schur.make();
    std::vector<double> sums;
    std::size_t count = 0;
    const auto keep = [&](const Field<T>& field) {
      gather(space, field, result.fields[count++]);
      sums.push_back(space.norm2(field));
      const Complex dot = space.dot(in, field);
      sums.insert(sums.end(), {dot.real(), dot.imag()});
    };
    for (const Conjugate conjugate : {Conjugate::no, Conjugate::yes}) {
      dirac.apply(in, out, conjugate);
      keep(out);
      schur.prepare(in, odd);
      schur.apply(odd, more, conjugate);
      schur.reconstruct(in, more, out);
      keep(out);
    }
    Field<T> x = space.make();
    Field<T> r = in;
    sums.push_back(space.advance(0.3, in, out, x, r));
    keep(r);
    if (number(rank.world.rank()) == 0) result.sums = sums;
  });
  return result;
}

/// With the clover term; without it: MutationsAreFound.
template <class T>
void expect_same_on_ranks() {
  const GaugeField gauge = random_gauge_field(lattice_extents, 0.5, 5);
  const ChooseLoops<T> widest = [](std::size_t lanes) { return kernels::loops_for<T>(lanes); };
  const ChooseLoops<T> plain = [](std::size_t) { return kernels::loops_of<T, base::isa::scalar>(); };
  constexpr double csw = 1.2;
  const Applied alone = apply_all<T>({}, gauge, csw, plain);
  EXPECT_TRUE(apply_all<T>({}, gauge, csw, widest, {}, 2) == alone);
  for (const Ranks& ranks : divisions) {
    EXPECT_TRUE(apply_all<T>(ranks, gauge, csw, widest, {}, ranks.count == 2 ? 2 : 1) == alone) << text(ranks);
  }
}

TEST(QcdRanks, OperatorsAndSumsAreThoseOfOneRank) {
  expect_same_on_ranks<double>();
  expect_same_on_ranks<float>();
}

TEST(QcdRanks, EveryFoldingIsTheSame) {
  const GaugeField gauge = random_gauge_field(lattice_extents, 0.5, 5);
  const Applied alone =
      apply_all<float>({}, gauge, 1.2, [](std::size_t) { return kernels::loops_of<float, base::isa::scalar>(); });
  for (const Ranks& ranks : {Ranks{2, {1, 1, 1, 2}}, Ranks{4, {2, 1, 1, 2}}}) {
    const auto least = most_lanes(part_of(divide(lattice_extents, ranks.along, ranks.count, comm::RankId{0})));
    for (const auto& loops : testing::all_loops<float>(lattice_extents)) {
      if (loops.lanes > least) continue;
      EXPECT_TRUE(apply_all<float>(ranks, gauge, 1.2, [&](std::size_t) { return loops; }) == alone)
          << text(ranks) << ", " << loops.lanes << " lanes";
    }
  }
}

/// A solve with its history.
struct Solved {
  PlainField x;
  std::vector<double> history;
  friend bool operator==(const Solved&, const Solved&) = default;
};

Solved solve_on(const Ranks& ranks, Method method, Precision precision, std::size_t workers,
                const std::function<void(kernels::Loops<double>&, std::size_t rank)>& spoil = {}) {
  Solved result{PlainField(lattice_extents.sites()), {}};
  const GaugeField gauge = random_gauge_field(lattice_extents, 0.5, 5);
  const PlainField b = random_spinors(lattice_extents, 1);
  on_division(ranks, workers, [&](OnRank& rank, const Division& division) {
    auto loops = kernels::loops_for<double>(most_lanes(division.part()));
    if (spoil) spoil(loops, number(rank.world.rank()));
    FieldSpace<double> space(division, loops, rank.on.scheduler);
    FieldSpace<float> narrow(division, kernels::loops_for<float>(most_lanes(division.part())), rank.on.scheduler);
    const GaugeField links = own_links(gauge, division.part());
    const DiracOperator<double> dirac(space, links, {.mass = 0.2, .csw = 1.0});
    const DiracOperator<float> single(narrow, links, dirac.parameters());
    const SchurOperator<double> schur(dirac);
    const SchurOperator<float> schur_single(single);
    const Field<double> all = own_part(space, b);
    Field<double> odd = schur.make();
    schur.prepare(all, odd);
    const auto one =
        make_solve(method, schur, precision == Precision::mixed ? &schur_single : nullptr, {.tolerance = 3e-3});
    one->begin(odd, std::sqrt(space.norm2(all)));
    while (one->status() == Solve::Status::running) one->iterate();
    EXPECT_EQ(one->status(), Solve::Status::converged) << one->failure();
    Field<double> x = space.make();
    schur.reconstruct(all, one->x(), x);
    gather(space, x, result.x);
    if (number(rank.world.rank()) == 0) result.history = one->history();
  });
  return result;
}

TEST(QcdRanks, SolvesAreThoseOfOneRank) {
  const std::array few{Ranks{2, {1, 1, 1, 2}}, Ranks{4, {2, 1, 2, 1}}};
  for (const Method method : {Method::cgnr, Method::bicgstab, Method::gcr}) {
    for (const Precision precision : {Precision::whole, Precision::mixed}) {
      if (method == Method::gcr && precision == Precision::mixed) continue;  // that sends most, and nothing else
      const Solved alone = solve_on({}, method, precision, 1);
      EXPECT_GT(alone.history.size(), 3U);
      EXPECT_TRUE(solve_on({}, method, precision, 2) == alone);
      for (const Ranks& ranks : std::span(few).first(method == Method::cgnr ? 2 : 1)) {
        EXPECT_TRUE(solve_on(ranks, method, precision, ranks.count == 2 ? 2 : 1) == alone) << text(ranks);
      }
    }
  }
}

TEST(QcdRanks, CorrelatorsAreThoseOfOneRank) {
  std::vector<PlainField> columns;
  for (std::uint64_t seed = 0; seed < 12; ++seed) columns.push_back(random_spinors(lattice_extents, seed));
  const auto on = [&](const Ranks& ranks) {
    std::vector<double> found;
    on_division(ranks, 1, [&](OnRank& rank, const Division& division) {
      FieldSpace<double> space(division, kernels::loops_for<double>(most_lanes(division.part())), rank.on.scheduler);
      Propagator S;
      for (const PlainField& column : columns) S.push_back(own_part(space, column));
      std::vector<double> all = pion_correlator(space, S);
      const std::vector<double> rho = rho_correlator(space, S);
      all.insert(all.end(), rho.begin(), rho.end());
      if (number(rank.world.rank()) == 0) found = all;
    });
    return found;
  };
  const std::vector<double> alone = on({});
  EXPECT_EQ(alone.size(), 2U * lattice_extents.n[3]);
  for (const Ranks& ranks : divisions) EXPECT_EQ(on(ranks), alone) << text(ranks);
}

kernels::Loops<double> plain_loops;

/// |x|^2 of half blocks with the numbers in the reverse order.
void norm2_backwards(const double* x, double* sums, std::size_t first, std::size_t last) {
  const std::size_t numbers = Lattice::sites_of_half_block * kernels::spinor_numbers;
  for (std::size_t block = first; block < last; ++block) {
    sums[block] = 0.0;
    for (std::size_t i = numbers; i-- > 0;) sums[block] += x[block * numbers + i] * x[block * numbers + i];
  }
}

// The program offers no way to do any of this: constness is cast away from what is no constant itself.
TEST(QcdRanks, MutationsAreFound) {
  const GaugeField gauge = random_gauge_field(lattice_extents, 0.5, 5);
  const ChooseLoops<double> plain = [](std::size_t) { return kernels::loops_of<double, base::isa::scalar>(); };
  const Ranks ranks{2, {1, 1, 1, 2}};
  const Applied alone = apply_all<double>({}, gauge, 0.0, plain);
  const auto spoilt = [&](const std::function<void(std::vector<Face>&)>& change) {
    return apply_all<double>(ranks, gauge, 0.0, plain, [&](FieldSpace<double>& space, std::size_t rank) {
      if (rank == 1) change(const_cast<std::vector<Face>&>(space.lattice().faces()));
    });
  };
  EXPECT_TRUE(spoilt([](std::vector<Face>&) {}) == alone);
  EXPECT_FALSE(spoilt([](std::vector<Face>& faces) { std::swap(faces[2].sites[0], faces[2].sites[1]); }) == alone)
      << "two sites of a halo that are swapped";
  EXPECT_FALSE(spoilt([](std::vector<Face>& faces) { std::swap(faces[1].first_ghost, faces[3].first_ghost); }) == alone)
      << "halos of both ends that are swapped";
  const Solved solved = solve_on({}, Method::cgnr, Precision::whole, 1);
  plain_loops = kernels::loops_of<double, base::isa::scalar>();
  const auto turned = [](kernels::Loops<double>& loops, std::size_t rank) {
    loops = plain_loops;
    if (rank == 1) loops.norm2 = norm2_backwards;
  };
  EXPECT_TRUE(solve_on(ranks, Method::cgnr, Precision::whole, 1,
                       [](kernels::Loops<double>& loops, std::size_t) { loops = plain_loops; }) == solved);
  EXPECT_FALSE(solve_on(ranks, Method::cgnr, Precision::whole, 1, turned) == solved) << "a sum in another order";
}

#if !defined(TACIT_UNDER_TSAN) && !defined(TACIT_UNDER_ASAN)
TEST(QcdRanks, ASolveAllocatesNothingAfterSetUp) {
  const Extents extents{{4, 4, 2, 4}};
  const GaugeField gauge = random_gauge_field(extents, 0.5, 5);
  for (const Method method : {Method::cgnr, Method::bicgstab}) {  // in mixed precision, which does more than the other
    on_division(
        {2, {1, 1, 1, 2}}, 1,
        [&](OnRank& rank, const Division& division) {
          FieldSpace<double> space(division, kernels::loops_for<double>(most_lanes(division.part())),
                                   rank.on.scheduler);
          FieldSpace<float> narrow(division, kernels::loops_for<float>(most_lanes(division.part())), rank.on.scheduler);
          const DiracOperator<double> dirac(space, gauge, {.mass = 0.3, .csw = 1.0});
          const DiracOperator<float> single(narrow, gauge, dirac.parameters());
          const auto one = make_solve(method, dirac, &single, {.tolerance = 1e-9});
          const Field<double> b = own_part(space, random_spinors(extents, 1));
          one->begin(b);
          const auto iterate = [&] {
            if (one->status() != Solve::Status::running) one->begin(b);
            one->iterate();
          };
          for (int n = 0; n < 100; ++n) iterate();  // the ring of transfers is full
          comm::testing::expect_no_allocations(rank.world, iterate, 50);
        },
        extents);
  }
}
#endif

std::filesystem::path file_of(const std::string& name, const std::string& content) {
  const auto path = test::test_folder() / ("qcd_ranks_" + name);
  std::ofstream(path, std::ios::binary) << content;
  return path;
}

TEST(QcdRanks, ReadAndMakeTheirPartsOfAGaugeField) {
  const GaugeField whole = random_gauge_field(lattice_extents, 0.5, 5);
  const auto nersc = file_of("field.nersc", nersc_file(whole, "field"));
  const auto ildg = file_of("field.lime", ildg_file(whole, "field"));
  for (const Ranks& ranks : divisions) {
    on_division(ranks, 1, [&](OnRank&, const Division& division) {
      const std::array fields{random_gauge_field(division.part(), 0.5, 5), read_gauge_file(nersc, division),
                              read_gauge_file(ildg, division)};
      for (const GaugeField& mine : fields) {
        EXPECT_TRUE(mine.links == own_links(whole, division.part()).links) << text(ranks);
        EXPECT_EQ(plaquette(mine, division.ranks()), plaquette(whole)) << text(ranks);
        EXPECT_EQ(link_trace(mine, division.ranks()), link_trace(whole)) << text(ranks);
      }
      // Two slices, and one at each side.
      EXPECT_TRUE(ranks.along[3] != 4 || fields[0].links.size() == whole.links.size() / 2) << text(ranks);
    });
  }
}

/// What each rank says of a file that it must refuse.
std::vector<std::string> refusals_of(const std::filesystem::path& path, const Ranks& ranks) {
  std::vector<std::string> messages(ranks.count);
  on_division(ranks, 1, [&](OnRank& rank, const Division& division) {
    try {
      static_cast<void>(read_gauge_file(path, division));
    } catch (const base::FormatError& error) {
      messages[number(rank.world.rank())] = error.what();
    }
  });
  return messages;
}

TEST(QcdRanks, FilesThatAreWrongAreRefusedByAllRanksAlike) {
  const GaugeField whole = random_gauge_field(lattice_extents, 0.5, 5);
  GaugeField bent = whole;
  bent.at({7, 3, 3, 7}, 2)(0, 1) += 0.01;
  bent.at({1, 0, 0, 5}, 1)(0, 0) += 0.02;                  // the first in the file; no part ends with it
  std::vector<std::pair<std::string, std::string>> files;  // content, and what is said
  for (const bool is_nersc : {true, false}) {
    const auto file = [&](const GaugeField& field) {
      return is_nersc ? nersc_file(field, "field") : ildg_file(field, "field");
    };
    files.emplace_back(file(bent), "the link at (x, y, z, t) = (1, 0, 0, 5) along y is 0.0");
    std::string damaged = file(whole);
    damaged[damaged.size() - 300] = static_cast<char>(damaged[damaged.size() - 300] ^ 1);
    files.emplace_back(damaged, is_nersc ? "CHECKSUM = " : "scidac-checksum: suma = ");
    std::string other = file(whole);
    const std::string key = is_nersc ? "PLAQUETTE = 0." : "<plaq>0.";
    const std::size_t digit = other.find(key) + key.size();
    other[digit] = other[digit] == '9' ? '8' : '9';
    files.emplace_back(other, is_nersc ? "PLAQUETTE = 0.9" : "scidac-record-xml: plaq is 0.9");
  }
  for (const auto& [content, said] : files) {
    const auto path = file_of("wrong", content);
    const std::string alone = refusals_of(path, {}).front();
    EXPECT_NE(alone.find(said), std::string::npos) << alone;
    for (const Ranks& ranks : {Ranks{2, {2, 1, 1, 1}}, Ranks{3, {1, 1, 1, 3}}, Ranks{4, {1, 2, 2, 1}}}) {
      for (const std::string& message : refusals_of(path, ranks)) EXPECT_EQ(message, alone) << text(ranks);
    }
  }
}

TEST(QcdRanks, ASingularSiteIsNamedByAllRanksAlike) {
  std::mutex guard;
  std::vector<std::string> messages;
  on_division({4, {1, 1, 2, 2}}, 1, [&](OnRank& rank, const Division& division) {
    FieldSpace<double> space(division, kernels::loops_for<double>(most_lanes(division.part())), rank.on.scheduler);
    const DiracOperator<double> dirac(space, GaugeField(lattice_extents), {.mass = -4.0, .csw = 1.0});
    try {
      const SchurOperator<double> schur(dirac);
    } catch (const engine::NumericsError& error) {
      const std::scoped_lock lock(guard);
      messages.emplace_back(error.what());
    }
  });
  ASSERT_EQ(messages.size(), 4U);
  for (const std::string& message : messages) {
    EXPECT_NE(message.find("(x, y, z, t) = (0, 0, 0, 0) is singular"), std::string::npos) << message;
  }
}

std::string refusal(const Extents& extents, const RanksPerAxis& along, std::size_t ranks) {
  try {
    static_cast<void>(divide(extents, along, ranks, comm::RankId{0}));
  } catch (const base::Error& error) {
    return error.what();
  }
  return "none";
}

TEST(QcdRanks, DivisionsThatCannotBeSayWhichCan) {
  EXPECT_EQ(refusal({{4, 2, 2, 4}}, {}, 4), "none");
  EXPECT_NE(refusal({{4, 2, 2, 4}}, {}, 8).find("use 4 ranks"), std::string::npos) << refusal({{4, 2, 2, 4}}, {}, 8);
  EXPECT_NE(refusal({{4, 4, 4, 4}}, {4, 1, 1, 1}, 4).find("leave the ranks per axis out"), std::string::npos);
  EXPECT_NE(refusal({{4, 4, 4, 4}}, {2, 2, 1, 1}, 2).find("cannot be made of the 2"), std::string::npos);
}

}  // namespace
}  // namespace tacit::qcd
