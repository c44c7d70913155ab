# The litmus test of slots, and slots that are wrong on purpose, which are found out by construction, on every host.
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

# tacit_other_slots(<name> [<text> <replacement>]...): slots.hpp with other text in some places, in a folder of that
# name.
function(tacit_other_slots name)
  file(READ "${slots}" text)
  while(ARGN)
    list(POP_FRONT ARGN from to)
    string(FIND "${text}" "${from}" at)
    if(at EQUAL -1)
      message(FATAL_ERROR "slots.hpp has changed: '${from}' is not in it, so that '${name}' cannot be made of it")
    endif()
    string(REPLACE "${from}" "${to}" text "${text}")
  endwhile()
  set(header "${CMAKE_CURRENT_BINARY_DIR}/mutants/${name}/tacit/comm/detail/slots.hpp")
  file(CONFIGURE OUTPUT "${header}" CONTENT "${text}" @ONLY)
endfunction()

# tacit_racing_slots(<name> [<text> <replacement>]...): slots whose order of memory is wrong, which a thread sanitizer
# sees in whatever order the threads come: it knows what happens before what.
function(tacit_racing_slots name)
  tacit_other_slots(${name} ${ARGN})
  add_executable(comm_litmus_${name} litmus.cpp)
  target_include_directories(comm_litmus_${name} BEFORE PRIVATE "${CMAKE_CURRENT_BINARY_DIR}/mutants/${name}")
  target_link_libraries(comm_litmus_${name} PRIVATE comm_slots)
  add_test(NAME "comm: litmus finds out ${name}" COMMAND comm_litmus_${name} ${messages} 1 3)
  set_tests_properties("comm: litmus finds out ${name}" PROPERTIES LABELS mpi TIMEOUT 300 PROCESSORS 2
                                                                   PASS_REGULAR_EXPRESSION "data race")
endfunction()

# tacit_stepped_slots(<program> [<text> <replacement>]...): slots that stop at the scheduler of interleaved.hpp.
function(tacit_stepped_slots program)
  tacit_other_slots(${program} ${ARGN}
    "#pragma once" "#pragma once\n#include \"interleaved.hpp\""
    "std::atomic<" "interleaved::Atomic<"
    "CopyChoice::long_message" "interleaved::long_message"
    "choice_.way() == Way::left" "true"
    "base::ticks() > patient_until_" "interleaved::scheduler->is_impatient()"
    " copy_bytes(" " interleaved::scheduler->step(), copy_bytes("
    " gather(" " interleaved::scheduler->step(), gather("
    " scatter(" " interleaved::scheduler->step(), scatter(")
  add_executable(${program} interleavings.cpp)
  target_include_directories(${program} BEFORE PRIVATE "${CMAKE_CURRENT_BINARY_DIR}/mutants/${program}")
  target_link_libraries(${program} PRIVATE comm_interleaved)
endfunction()

# tacit_slots_mutant(<name> <text> <replacement>...): slots whose steps are in a wrong order, which is found by trying
# all orders of the two sides.
function(tacit_slots_mutant name)
  tacit_stepped_slots(comm_interleavings_${name} ${ARGN})
  add_test(NAME "comm: litmus finds out ${name}" COMMAND comm_interleavings_${name})
  set_tests_properties("comm: litmus finds out ${name}" PROPERTIES LABELS mpi TIMEOUT 300
                                                                   PASS_REGULAR_EXPRESSION "message [0-9]+ is wrong")
endfunction()

# Semicolons would end the elements of a list: the texts do without them.
if(TACIT_SANITIZE STREQUAL "thread")
  # The processors of many machines hide these; a thread sanitizer does not.
  tacit_racing_slots(relaxed_flag "arrived.store(++sent_, std::memory_order_release"
                     "arrived.store(++sent_, std::memory_order_relaxed")
  tacit_racing_slots(relaxed_look "arrived.load(std::memory_order_acquire" "arrived.load(std::memory_order_relaxed")
  tacit_racing_slots(relaxed_grant "granted.store(++granted_, std::memory_order_release"
                     "granted.store(++granted_, std::memory_order_relaxed")
elseif(NOT TACIT_SANITIZE)  # sanitizers do not follow who changes stacks
  add_library(comm_interleaved OBJECT interleaved.cpp ${comm_dir}/layout.cpp)
  target_include_directories(comm_interleaved PUBLIC "${CMAKE_CURRENT_SOURCE_DIR}")
  target_link_libraries(comm_interleaved PUBLIC tacit_base tacit_warnings)
  tacit_stepped_slots(comm_interleavings)
  add_test(NAME "comm: slots in all orders of steps" COMMAND comm_interleavings)
  set_tests_properties("comm: slots in all orders of steps" PROPERTIES LABELS mpi TIMEOUT 300)
  tacit_slots_mutant(flag_first "store(++sent_, std" "store(sent_, std"
                     "if (is_in_place_) {" "if (slot.head->arrived.store(++sent_), is_in_place_) {")
  tacit_slots_mutant(fetched_first "const std::int64_t begin = base::ticks()"
                     "const std::int64_t begin = (theirs_->fetched.store(received_ + 1), base::ticks())")
  tacit_slots_mutant(no_claim "claim.by.compare_exchange_strong(none, Claim::By::sender, std::memory_order_acq_rel)"
                     "(claim.by.store(none = Claim::By::sender), true)")
  tacit_slots_mutant(done_first "copy_to(left_.data)"
                     "(claim.by.store(Claim::By::sender_is_done), copy_to(left_.data))")
  tacit_slots_mutant(no_grant "if (granted_ == sent_) return false" "static_cast<void>(0)")
endif()
