// Asks libfabric what is there, and chooses.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/comm/providers/ofi/selection.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <optional>
#include <set>

#include "tacit/comm/error.hpp"

namespace tacit::comm::ofi {
namespace {

/// Best first. Others may be named, but are never chosen unasked.
///
/// Over TCP, `net` sends a write as one message of its own; from libfabric 1.18 on it is part of `tcp`. `ofi_rxm` puts
/// a protocol above, and a queue of its own behind each look.
constexpr std::array<std::string_view, 8> preferred{"efa",           "cxi", "opx", "psm2",
                                                    "verbs;ofi_rxm", "net", "tcp", "tcp;ofi_rxm"};
constexpr std::size_t fast = 5;  // of them: the others go over TCP

struct Refusal {
  std::string_view provider;
  std::string_view reason;
};
constexpr std::array<Refusal, 1> refused{{{"sockets", "it has delivered wrong data"}}};

constexpr std::uint64_t modes = FI_CONTEXT | FI_CONTEXT2 | FI_RX_CQ_DATA;  // of libfabric's, that we can serve
constexpr int memory_modes = FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY | FI_MR_ENDPOINT;

/// The reason why a provider is refused; nothing: it is not.
std::optional<std::string_view> refusal_of(std::string_view provider) {
  for (const Refusal& refusal : refused) {
    if (provider.find(refusal.provider) != std::string_view::npos) return refusal.reason;
  }
  return std::nullopt;
}

std::size_t place_of(std::string_view provider) {
  return static_cast<std::size_t>(std::ranges::find(preferred, provider) - preferred.begin());
}

/// Whether this name stands for any way over TCP: in libfabric 1.17 the provider of that name has no endpoints of the
/// kind that we need.
bool is_any_tcp(const Network& wanted) { return wanted.provider == "tcp"; }

bool is_wanted(std::string_view provider, const Network& wanted) {
  const std::size_t place = place_of(provider);
  if (is_any_tcp(wanted)) return place >= fast && place < preferred.size();
  return !wanted.provider.empty() || place < preferred.size();
}

Info hints_for(const Network& wanted) {
  Info hints(fi_allocinfo());
  if (hints == nullptr) throw ProviderError("ofi: libfabric cannot be loaded, or has no memory");
  hints->caps = FI_MSG | FI_RMA;  // messages: receives are posted where notices need them
  hints->mode = modes;
  hints->ep_attr->type = FI_EP_RDM;
  hints->domain_attr->mr_mode = memory_modes;
  hints->domain_attr->control_progress = FI_PROGRESS_MANUAL;  // no threads
  hints->domain_attr->data_progress = FI_PROGRESS_MANUAL;
  hints->domain_attr->resource_mgmt = FI_RM_ENABLED;
  hints->domain_attr->av_type = FI_AV_TABLE;
  hints->domain_attr->cq_data_size = 4;
  // libfabric frees both.
  if (!wanted.provider.empty() && !is_any_tcp(wanted)) hints->fabric_attr->prov_name = strdup(wanted.provider.c_str());
  if (!wanted.device.empty()) hints->domain_attr->name = strdup(wanted.device.c_str());
  return hints;
}

/// A list; null: nothing fits, or libfabric cannot be used here.
Info ask(const Network& wanted, std::uint32_t port) {
  const Info hints = hints_for(wanted);
  const std::string service = port == 0 ? std::string() : std::to_string(port);
  fi_info* found = nullptr;
  const int code = fi_getinfo(FI_VERSION(1, 17), nullptr, port == 0 ? nullptr : service.c_str(),
                              port == 0 ? 0 : FI_SOURCE, hints.get(), &found);
  return Info(code == 0 ? found : nullptr);
}

/// The smaller, the better: other providers, devices that reach this node only, and addresses that need an interface's
/// name come last.
std::size_t rank_of(const fi_info& info) {
  const std::size_t place = place_of(info.fabric_attr->prov_name);
  const bool is_loopback = std::string_view(info.domain_attr->name) == "lo";
  return 4 * place + (is_loopback ? 2U : 0U) + (info.addr_format == FI_SOCKADDR_IN6 ? 1U : 0U);
}

/// The first of the best; null if all are refused. Not all providers heed the device that they were asked for.
const fi_info* best_of(const fi_info* first, const Network& wanted) {
  const fi_info* best = nullptr;
  for (const fi_info* info = first; info != nullptr; info = info->next) {
    const std::string_view name = info->fabric_attr->prov_name;
    if (refusal_of(name) || !is_wanted(name, wanted)) continue;
    if (!wanted.device.empty() && wanted.device != info->domain_attr->name) continue;
    if (best == nullptr || rank_of(*info) < rank_of(*best)) best = info;
  }
  return best;
}

std::string describe_wanted(const Network& wanted) {
  return fmt::format("{}{}{}", wanted.provider.empty() ? "a provider" : "'" + wanted.provider + "'",
                     wanted.device.empty() ? "" : " on the device '" + wanted.device + "'",
                     wanted.port == 0 ? "" : fmt::format(" with the port {}", wanted.port));
}

}  // namespace

void check(std::int64_t code, const char* call) {
  if (code >= 0) return;
  throw ProviderError(fmt::format("ofi: {} failed: {}", call, fi_strerror(static_cast<int>(-code))));
}

bool is_fast(std::string_view provider) { return place_of(provider) < fast; }

// cxi writes without completion data.
Notice notice_of(std::string_view provider) { return provider == "cxi" ? Notice::message : Notice::with_write; }

std::vector<std::string> usable_providers() {
  std::set<std::string_view> there;
  const Info all = ask({}, 0);
  for (const fi_info* info = all.get(); info != nullptr; info = info->next) there.insert(info->fabric_attr->prov_name);
  std::vector<std::string> usable;
  for (const std::string_view name : preferred) {
    if (there.contains(name)) usable.emplace_back(name);
  }
  return usable;
}

std::string describe_offers() {
  std::map<std::string, std::set<std::string>> devices;
  const Info all = ask({}, 0);
  for (const fi_info* info = all.get(); info != nullptr; info = info->next) {
    devices[info->fabric_attr->prov_name].insert(info->domain_attr->name);
  }
  std::vector<std::string> words;
  for (const auto& [provider, names] : devices) {
    const auto reason = refusal_of(provider);
    words.push_back(reason ? fmt::format("{} (refused: {})", provider, *reason)
                           : fmt::format("{} ({})", provider, fmt::join(names, ", ")));
  }
  return words.empty() ? std::string("nothing") : fmt::format("{}", fmt::join(words, ", "));
}

Info find_network(const Network& wanted, std::uint32_t port) {
  if (const auto reason = refusal_of(wanted.provider)) {
    throw ProviderError(fmt::format("ofi: libfabric's provider '{}' is refused: {}; use tcp, or the network's own",
                                    wanted.provider, *reason));
  }
  const Info all = ask(wanted, port);
  const fi_info* best = best_of(all.get(), wanted);
  if (best == nullptr) {
    throw ProviderError(
        fmt::format("ofi: libfabric has not {} that can be used; it offers {} (FI_PROVIDER, if it is "
                    "set, leaves out others)",
                    describe_wanted(wanted), describe_offers()));
  }
  Info copy(fi_dupinfo(best));
  if (copy == nullptr) throw ProviderError("ofi: libfabric has no memory");
  return copy;
}

}  // namespace tacit::comm::ofi
