// A rank that uses all of comm until one of them, maybe itself, is lost at a chosen operation.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace tacit::comm::testing {

/// What a rank tells the program that started it, in a file of its own.
struct Note {
  std::int64_t time_ns = 0;  ///< base::now_ns(), the same clock for all processes of a machine
  std::int64_t process = 0;
  std::string text = {};
};

/// What is told: it runs; it is about to be lost; it knows that another is; its communicator is gone, too.
enum class Event : std::uint8_t { begun, lost, known, ended };

void tell(const std::filesystem::path& folder, Event event, std::size_t rank, std::string_view text);
[[nodiscard]] std::optional<Note> read_note(const std::filesystem::path& folder, Event event, std::size_t rank);

/// How a rank is lost: by SIGKILL, by the end of its process, by an exception, or because SIGSTOP stops it.
inline constexpr std::string_view statuses[] = {"kill", "exit", "exception", "stop"};

/// Who is lost in a run, and at which of its operations.
struct Loss {
  std::size_t rank = 0;
  std::uint64_t operation = 0;
};
[[nodiscard]] Loss loss_of(std::uint64_t seed, std::size_t ranks);

/// The life of one rank. @param arguments  STATUS SEED ROUTES FOLDER
void live_as_rank(char** arguments);

}  // namespace tacit::comm::testing
