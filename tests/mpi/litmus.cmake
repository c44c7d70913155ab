# The litmus test of slots, and slots that are wrong on purpose, which it must find out.
# SPDX-License-Identifier: Apache-2.0
set(comm_dir "${PROJECT_SOURCE_DIR}/src/tacit/comm")
set(slots "${comm_dir}/detail/slots.hpp")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${slots}")

# What is around slots. Not the library, whose objects hold the right ones.
add_library(comm_slots OBJECT ${comm_dir}/detail/slot_link.cpp ${comm_dir}/layout.cpp)
target_link_libraries(comm_slots PUBLIC tacit_base tacit_warnings Threads::Threads)
add_executable(comm_litmus litmus.cpp)
target_link_libraries(comm_litmus PRIVATE comm_slots)
if(TACIT_SANITIZE)  # 30 times slower
  set(messages 100000)
else()
  set(messages 1000000)
  add_test(NAME "comm: litmus of slots, 3 x 10^7 messages" COMMAND comm_litmus 30000000 2)
  set_tests_properties("comm: litmus of slots, 3 x 10^7 messages" PROPERTIES LABELS full TIMEOUT 600 PROCESSORS 2)
endif()
add_test(NAME "comm: litmus of slots" COMMAND comm_litmus ${messages})
set_tests_properties("comm: litmus of slots" PROPERTIES LABELS mpi TIMEOUT 300 PROCESSORS 2)

# tacit_slots_mutant(<name> <what the test says> [<text> <replacement>]...): slots.hpp with other text in some places.
function(tacit_slots_mutant name words)
  file(READ "${slots}" text)
  while(ARGN)
    list(POP_FRONT ARGN from to)
    string(FIND "${text}" "${from}" at)
    if(at EQUAL -1)
      message(FATAL_ERROR "slots.hpp has changed: '${from}' is not in it, so that the mutant ${name} cannot be made")
    endif()
    string(REPLACE "${from}" "${to}" text "${text}")
  endwhile()
  set(header "${CMAKE_CURRENT_BINARY_DIR}/mutants/${name}/tacit/comm/detail/slots.hpp")
  file(CONFIGURE OUTPUT "${header}" CONTENT "${text}" @ONLY)
  add_executable(comm_litmus_${name} litmus.cpp)
  target_include_directories(comm_litmus_${name} BEFORE PRIVATE "${CMAKE_CURRENT_BINARY_DIR}/mutants/${name}")
  target_link_libraries(comm_litmus_${name} PRIVATE comm_slots)
  # Most lose a message for ever: three seconds say so as well as twenty.
  add_test(NAME "comm: litmus finds out ${name}" COMMAND comm_litmus_${name} ${messages} 1 3)
  set_tests_properties("comm: litmus finds out ${name}" PROPERTIES LABELS mpi TIMEOUT 300 PROCESSORS 2
                                                                   PASS_REGULAR_EXPRESSION "${words}")
endfunction()

# Semicolons would end the elements of a list: the texts do without them.
if(TACIT_SANITIZE STREQUAL "thread")
  # The processors of many machines hide these; a thread sanitizer does not.
  tacit_slots_mutant(relaxed_flag "data race" "arrived.store(++sent_, std::memory_order_release"
                     "arrived.store(++sent_, std::memory_order_relaxed")
  tacit_slots_mutant(relaxed_look "data race" "arrived.load(std::memory_order_acquire"
                     "arrived.load(std::memory_order_relaxed")
  tacit_slots_mutant(relaxed_grant "data race" "granted.store(++granted_, std::memory_order_release"
                     "granted.store(++granted_, std::memory_order_relaxed")
elseif(NOT TACIT_SANITIZE)
  tacit_slots_mutant(flag_first "message [0-9]+ is wrong" "store(++sent_, std" "store(sent_, std"
                     "if (is_in_place_) {" "if (slot.head->arrived.store(++sent_), is_in_place_) {")
  tacit_slots_mutant(fetched_first "message [0-9]+ is wrong" "const std::int64_t begin = base::ticks()"
                     "const std::int64_t begin = (theirs_->fetched.store(received_ + 1), base::ticks())")
  tacit_slots_mutant(no_claim "message [0-9]+ is wrong"
                     "claim.by.compare_exchange_strong(none, Claim::By::sender, std::memory_order_acq_rel)"
                     "(claim.by.store(none = Claim::By::sender), true)")
  tacit_slots_mutant(no_grant "message [0-9]+ is wrong" "if (granted_ == sent_) return false" "static_cast<void>(0)")
endif()
