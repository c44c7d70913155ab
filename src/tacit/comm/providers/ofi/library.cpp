// libfabric, loaded when it is first asked for. Its libraries of networks take a fifth of a second to load and catch
// signals, which a program that uses no such network should not pay. What else libfabric does goes through its objects.
// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>
#include <rdma/fabric.h>
#include <rdma/fi_errno.h>

#include "tacit/base/kept_handlers.hpp"

namespace {

/// Debian's has a library of a network that catches six signals as it is loaded.
void* load() noexcept {
  const tacit::base::KeptHandlers kept(tacit::base::all_signals);
  return dlopen(TACIT_LIBFABRIC, RTLD_NOW | RTLD_LOCAL);
}

/// A function of libfabric; null if it cannot be loaded.
template <class Function>
Function* find(Function* /*like*/, const char* name) noexcept {
  // Never closed: threads of its own may still run when the program ends.
  static void* const library = load();
  return library == nullptr ? nullptr : reinterpret_cast<Function*>(dlsym(library, name));
}

}  // namespace

extern "C" {

int fi_getinfo(uint32_t version, const char* node, const char* service, uint64_t flags, const fi_info* hints,
               fi_info** info) {
  static auto* const function = find(&fi_getinfo, "fi_getinfo");
  const tacit::base::KeptHandlers kept(tacit::base::all_signals);  // the first call starts libraries of networks
  return function == nullptr ? -FI_ENOSYS : function(version, node, service, flags, hints, info);
}

void fi_freeinfo(fi_info* info) {
  static auto* const function = find(&fi_freeinfo, "fi_freeinfo");
  if (function != nullptr) function(info);
}

fi_info* fi_dupinfo(const fi_info* info) {
  static auto* const function = find(&fi_dupinfo, "fi_dupinfo");
  return function == nullptr ? nullptr : function(info);
}

int fi_fabric(fi_fabric_attr* attributes, fid_fabric** fabric, void* context) {
  static auto* const function = find(&fi_fabric, "fi_fabric");
  return function == nullptr ? -FI_ENOSYS : function(attributes, fabric, context);
}

const char* fi_strerror(int error) {
  static auto* const function = find(&fi_strerror, "fi_strerror");
  return function == nullptr ? "libfabric cannot be loaded" : function(error);
}

}  // extern "C"
