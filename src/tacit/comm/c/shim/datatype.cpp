// Takes MPI's types apart.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/comm/c/shim/datatype.hpp"

#include <vector>

#include "tacit/comm/bootstrap/mpi.hpp"

namespace tacit::comm::shim {
namespace {

std::size_t size_of(MPI_Datatype type) {
  MPI_Count bytes = 0;
  check_mpi(MPI_Type_size_x(type, &bytes), "MPI_Type_size_x");
  return static_cast<std::size_t>(bytes);
}

struct Envelope {
  int integers = 0;
  int addresses = 0;
  int types = 0;
  int combiner = MPI_COMBINER_NAMED;
};

Envelope envelope_of(MPI_Datatype type) {
  Envelope e;
  check_mpi(MPI_Type_get_envelope(type, &e.integers, &e.addresses, &e.types, &e.combiner), "MPI_Type_get_envelope");
  return e;
}

/// What a type was made of. Types of the user among them are copies that are freed.
class Contents {
 public:
  Contents(MPI_Datatype type, const Envelope& e)
      : integers(static_cast<std::size_t>(e.integers)),
        addresses(static_cast<std::size_t>(e.addresses)),
        types(static_cast<std::size_t>(e.types)) {
    check_mpi(
        MPI_Type_get_contents(type, e.integers, e.addresses, e.types, integers.data(), addresses.data(), types.data()),
        "MPI_Type_get_contents");
  }
  Contents(const Contents&) = delete;
  Contents& operator=(const Contents&) = delete;
  ~Contents() {
    for (MPI_Datatype& type : types) {
      int counts[3];
      int combiner = MPI_COMBINER_NAMED;
      MPI_Type_get_envelope(type, &counts[0], &counts[1], &counts[2], &combiner);
      if (combiner != MPI_COMBINER_NAMED) MPI_Type_free(&type);
    }
  }
  std::vector<int> integers;
  std::vector<MPI_Aint> addresses;
  std::vector<MPI_Datatype> types;
};

/// What one element is: dense blocks from its address on; with one block, the next element follows at once.
struct Shape {
  std::size_t blocks = 1;
  std::size_t block = 0;   // [byte]
  std::size_t stride = 0;  // [byte]
};

std::optional<Shape> shape_of(MPI_Datatype type);

std::optional<Shape> vector_of(int blocks, std::size_t block, MPI_Aint stride) {
  if (blocks <= 1 || block == 0) return Shape{.block = blocks < 1 ? 0 : block};
  if (stride < 0 || static_cast<std::size_t>(stride) < block) return std::nullopt;
  const auto number = static_cast<std::size_t>(blocks);
  if (static_cast<std::size_t>(stride) == block) return Shape{.block = number * block};
  return Shape{.blocks = number, .block = block, .stride = static_cast<std::size_t>(stride)};
}

std::optional<Shape> derived_shape_of(MPI_Datatype type, const Envelope& envelope) {
  const Contents made_of(type, envelope);
  const auto base = shape_of(made_of.types.front());
  if (!base) return std::nullopt;
  if (envelope.combiner == MPI_COMBINER_DUP) return base;
  if (base->blocks > 1) return std::nullopt;
  const int first = made_of.integers[0];
  if (envelope.combiner == MPI_COMBINER_CONTIGUOUS)
    return Shape{.block = static_cast<std::size_t>(first) * base->block};
  const std::size_t block = static_cast<std::size_t>(made_of.integers[1]) * base->block;
  if (envelope.combiner == MPI_COMBINER_HVECTOR) return vector_of(first, block, made_of.addresses[0]);
  return vector_of(first, block, made_of.integers[2] * static_cast<MPI_Aint>(base->block));
}

std::optional<Shape> shape_of(MPI_Datatype type) {
  const Envelope envelope = envelope_of(type);
  switch (envelope.combiner) {
    case MPI_COMBINER_NAMED: {
      MPI_Aint begin = 0;
      MPI_Aint extent = 0;
      check_mpi(MPI_Type_get_extent(type, &begin, &extent), "MPI_Type_get_extent");
      const std::size_t bytes = size_of(type);
      if (static_cast<std::size_t>(extent) != bytes) return std::nullopt;  // a pair with a gap
      return Shape{.block = bytes};
    }
    case MPI_COMBINER_DUP:
    case MPI_COMBINER_CONTIGUOUS:
    case MPI_COMBINER_VECTOR:
    case MPI_COMBINER_HVECTOR:
      return derived_shape_of(type, envelope);
    default:
      return std::nullopt;
  }
}

}  // namespace

std::size_t Buffer::bytes() const { return static_cast<std::size_t>(count) * size_of(type); }

std::optional<Layout> layout_of(const Buffer& buffer) {
  const auto shape = shape_of(buffer.type);
  if (!shape) return std::nullopt;
  auto* data = static_cast<std::byte*>(buffer.data);
  if (shape->blocks == 1) return Layout::contiguous(data, static_cast<std::size_t>(buffer.count) * shape->block);
  if (buffer.count == 0) return Layout::contiguous(data, 0);
  if (buffer.count > 1) return std::nullopt;  // the second begins where the last block of the first ends
  return Layout{data, shape->blocks, shape->block, shape->stride};
}

std::optional<std::size_t> DenseTypes::look_up(MPI_Datatype type) {
  if (envelope_of(type).combiner != MPI_COMBINER_NAMED) return std::nullopt;
  const auto shape = shape_of(type);
  if (!shape) return std::nullopt;
  is_known_ = true;
  last_ = type;
  last_bytes_ = shape->block;
  return last_bytes_;
}

}  // namespace tacit::comm::shim
