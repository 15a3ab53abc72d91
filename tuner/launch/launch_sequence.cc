#include "tuner/launch/launch_sequence.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "tuner/launch/scalar.h"

namespace tuner {
namespace {

[[noreturn]] void refuse(const std::string& reason) { throw LaunchRefused(reason); }

LaunchTarget find_target(const std::map<std::string, LaunchTarget>& targets,
                         const std::string& name, const char* what) {
  const auto found = targets.find(name);
  if (found == targets.end())
    throw TunerError(fmt::format("A launch names the {} '{}', which is not there.", what, name));
  return found->second;
}

// `NAME.initial` is what a reference calls the initial value of an inout buffer: before its own
// output is written anywhere else, that is the buffer itself.
LaunchTarget find_buffer(const LaunchTargets& targets, const std::string& name) {
  constexpr std::string_view kInitial = ".initial";
  const bool initial = name.size() > kInitial.size() && name.ends_with(kInitial);
  return find_target(targets.buffers,
                     initial ? name.substr(0, name.size() - kInitial.size()) : name, "buffer");
}

LaunchTarget find_memset_target(const LaunchTargets& targets, const std::string& name) {
  for (const auto* map : {&targets.reference_outputs, &targets.workspaces}) {
    if (const auto found = map->find(name); found != map->end()) return found->second;
  }
  return find_buffer(targets, name);
}

std::array<unsigned, 3> dimensions(const std::string& kernel, const char* what,
                                   const std::array<std::int64_t, 3>& asked) {
  std::array<unsigned, 3> result{};
  for (std::size_t i = 0; i < asked.size(); ++i) {
    if (asked[i] < 1 || asked[i] > std::numeric_limits<std::int32_t>::max()) {
      refuse(fmt::format("{} {} x {} x {} of {} is out of range", what, asked[0], asked[1],
                         asked[2], kernel));
    }
    result[i] = static_cast<unsigned>(asked[i]);
  }
  return result;
}

std::vector<CUlaunchAttribute> launch_attributes(const LaunchStep& step,
                                                 const std::array<unsigned, 3>& cluster) {
  std::vector<CUlaunchAttribute> attributes;
  if (cluster != std::array<unsigned, 3>{1, 1, 1}) {
    CUlaunchAttribute attribute{};
    attribute.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
    attribute.value.clusterDim.x = cluster[0];
    attribute.value.clusterDim.y = cluster[1];
    attribute.value.clusterDim.z = cluster[2];
    attributes.push_back(attribute);
  }
  if (step.cooperative) {
    CUlaunchAttribute attribute{};
    attribute.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
    attribute.value.cooperative = 1;
    attributes.push_back(attribute);
  }
  return attributes;
}

CUtensorMapDataType tensor_map_type(Element element) {
  switch (element) {
    case Element::i8:  // the map only moves bits
    case Element::u8:
      return CU_TENSOR_MAP_DATA_TYPE_UINT8;
    case Element::i16:
    case Element::u16:
      return CU_TENSOR_MAP_DATA_TYPE_UINT16;
    case Element::u32:
      return CU_TENSOR_MAP_DATA_TYPE_UINT32;
    case Element::i32:
      return CU_TENSOR_MAP_DATA_TYPE_INT32;
    case Element::u64:
      return CU_TENSOR_MAP_DATA_TYPE_UINT64;
    case Element::i64:
      return CU_TENSOR_MAP_DATA_TYPE_INT64;
    case Element::f16:
      return CU_TENSOR_MAP_DATA_TYPE_FLOAT16;
    case Element::bf16:
      return CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
    case Element::f64:
      return CU_TENSOR_MAP_DATA_TYPE_FLOAT64;
    case Element::f32:
      break;
  }
  return CU_TENSOR_MAP_DATA_TYPE_FLOAT32;
}

CUtensorMapSwizzle tensor_map_swizzle(const std::string& name) {
  if (name == "none" || name.empty()) return CU_TENSOR_MAP_SWIZZLE_NONE;
  if (name == "32") return CU_TENSOR_MAP_SWIZZLE_32B;
  if (name == "64") return CU_TENSOR_MAP_SWIZZLE_64B;
  if (name == "128") return CU_TENSOR_MAP_SWIZZLE_128B;
  throw TunerError(
      fmt::format("Unknown swizzle '{}' of a tensor map; known are none, 32, 64 and 128.", name));
}

}  // namespace

LaunchSequence::LaunchSequence(const Driver& driver, const models::DeviceProfile& device,
                               CUmodule module, std::vector<LaunchStep> steps)
    : driver_(driver), device_(device), steps_(std::move(steps)) {
  if (steps_.empty()) refuse("there is nothing to launch");
  functions_.reserve(steps_.size());
  for (const LaunchStep& step : steps_) {
    functions_.push_back(step.kind == LaunchStep::Kind::kernel ? load(module, step) : Function{});
  }
}

LaunchSequence::Function LaunchSequence::load(CUmodule module, const LaunchStep& step) const {
  const std::string& name = step.lowered_name;
  Function result;
  driver_.check(driver_.module_get_function(&result.function, module, name.c_str()),
                "cuModuleGetFunction of {}", name);
  result.grid = dimensions(name, "grid", step.grid);
  result.block = dimensions(name, "block", step.block);
  check_shape(result, step);
  allow_shared(result, step);
  result.attributes = launch_attributes(step, dimensions(name, "cluster", step.cluster));
  return result;
}

BoundArguments LaunchSequence::bind(const LaunchTargets& targets) const {
  BoundArguments bound;
  bound.steps.reserve(steps_.size());
  for (const LaunchStep& step : steps_) {
    BoundArguments::Step& added = bound.steps.emplace_back();
    if (step.kind == LaunchStep::Kind::kernel) {
      added.arguments.reserve(step.arguments.size());
      for (const LaunchArgument& argument : step.arguments) {
        added.arguments.push_back(make_argument(argument, targets));
      }
      continue;
    }
    const LaunchTarget target = find_memset_target(targets, step.memset_target);
    if (step.memset_bytes < 0 || step.memset_bytes > target.bytes) {
      refuse(fmt::format("memset of {} bytes of '{}', which has {}", step.memset_bytes,
                         step.memset_target, target.bytes));
    }
    added.memset_address = target.address;
  }
  return bound;
}

void LaunchSequence::check_shape(const Function& function, const LaunchStep& step) const {
  int most = 0;
  driver_.check(
      driver_.func_get_attribute(&most, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, function.function),
      "cuFuncGetAttribute of {}", step.lowered_name);
  // Exact for any three 31-bit numbers that matter: far beyond the limit it need not be.
  const double threads = 1.0 * function.block[0] * function.block[1] * function.block[2];
  if (threads > most) {
    refuse(
        fmt::format("a block of {} threads, where {} (with its registers and bounds) may have {}",
                    threads, step.lowered_name, most));
  }
  const double cluster = 1.0 * static_cast<double>(step.cluster[0]) *
                         static_cast<double>(step.cluster[1]) *
                         static_cast<double>(step.cluster[2]);
  if (cluster > 1 && device_.compute_capability < 90) {
    refuse("clusters need compute capability 9.0");
  }
  if (cluster > device_.max_cluster) {
    driver_.check(driver_.func_set_attribute(
                      function.function, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1),
                  "cuFuncSetAttribute (clusters of {}) of {}", cluster, step.lowered_name);
  }
}

void LaunchSequence::allow_shared(const Function& function, const LaunchStep& step) const {
  const auto attribute = [&](CUfunction_attribute which) {
    int value = 0;
    driver_.check(driver_.func_get_attribute(&value, which, function.function),
                  "cuFuncGetAttribute of {}", step.lowered_name);
    return std::int64_t{value};
  };
  const std::int64_t fixed = attribute(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
  const std::int64_t limit = std::max(device_.shared_per_block_optin, device_.shared_per_block);
  if (step.dynamic_shared < 0 || step.dynamic_shared > limit - fixed) {
    refuse(fmt::format(
        "{} bytes of dynamic and {} of static shared memory in {}, where a block may have {}",
        step.dynamic_shared, fixed, step.lowered_name, limit));
  }
  // Beyond 48 KB it has to be asked for. Another step of the same function may have asked for more.
  if (fixed + step.dynamic_shared <= device_.shared_per_block) return;
  if (attribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES) >= step.dynamic_shared) return;
  driver_.check(
      driver_.func_set_attribute(function.function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                 static_cast<int>(step.dynamic_shared)),
      "cuFuncSetAttribute ({} bytes of shared memory) of {}", step.dynamic_shared,
      step.lowered_name);
}

BoundArguments::Argument LaunchSequence::make_argument(const LaunchArgument& argument,
                                                       const LaunchTargets& targets) const {
  BoundArguments::Argument result;
  const auto put_address = [&](const LaunchTarget& target) {
    store_element(result.bytes.data(), target.address);
    return result;
  };
  switch (argument.kind) {
    case LaunchArgument::Kind::buffer:
      return put_address(find_buffer(targets, argument.name));
    case LaunchArgument::Kind::reference_output:
      return put_address(find_target(targets.reference_outputs, argument.name, "reference output"));
    case LaunchArgument::Kind::workspace:
      return put_address(find_target(targets.workspaces, argument.name, "workspace"));
    case LaunchArgument::Kind::tensor_map:
      return make_tensor_map(argument.tensor_map, targets);
    case LaunchArgument::Kind::scalar:
      break;
  }
  const std::vector<std::byte> bytes = encode_scalar(argument.name, argument.type, argument.value);
  std::copy(bytes.begin(), bytes.end(), result.bytes.begin());
  return result;
}

BoundArguments::Argument LaunchSequence::make_tensor_map(const TensorMapSpec& spec,
                                                         const LaunchTargets& targets) const {
  const auto encode = driver_.tensor_map_encode_tiled;
  if (encode == nullptr) refuse("tensor maps need a driver for CUDA 12.0");
  const std::size_t rank = spec.sizes.size();
  if (rank < 1 || rank > 5 || spec.box.size() != rank || spec.strides.size() + 1 != rank) {
    throw TunerError(fmt::format(
        "The tensor map of '{}' has {} sizes, {} strides and a box of {}; a map of 1 to 5 "
        "dimensions has one stride less than sizes, and as many in its box.",
        spec.buffer, rank, spec.strides.size(), spec.box.size()));
  }
  const LaunchTarget target = find_buffer(targets, spec.buffer);
  const std::vector<cuuint64_t> sizes(spec.sizes.begin(), spec.sizes.end());
  std::vector<cuuint64_t> strides(spec.strides.begin(), spec.strides.end());
  strides.push_back(0);  // so that data() is not null for one dimension
  std::vector<cuuint32_t> box;
  for (const std::int64_t extent : spec.box) box.push_back(static_cast<cuuint32_t>(extent));
  const std::vector<cuuint32_t> steps(rank, 1);
  CUtensorMap map{};
  driver_.check(
      encode(&map, tensor_map_type(target.element), static_cast<cuuint32_t>(rank),
             reinterpret_cast<void*>(target.address), sizes.data(), strides.data(), box.data(),
             steps.data(), CU_TENSOR_MAP_INTERLEAVE_NONE, tensor_map_swizzle(spec.swizzle),
             CU_TENSOR_MAP_L2_PROMOTION_L2_128B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE),
      "cuTensorMapEncodeTiled of '{}'", spec.buffer);
  BoundArguments::Argument result;
  static_assert(sizeof map <= sizeof result.bytes);
  std::memcpy(result.bytes.data(), &map, sizeof map);
  return result;
}

void LaunchSequence::launch(std::size_t step, const BoundArguments::Step& bound,
                            CUstream stream) const {
  const Function& function = functions_[step];
  CUlaunchConfig config{};
  config.gridDimX = function.grid[0];
  config.gridDimY = function.grid[1];
  config.gridDimZ = function.grid[2];
  config.blockDimX = function.block[0];
  config.blockDimY = function.block[1];
  config.blockDimZ = function.block[2];
  config.sharedMemBytes = static_cast<unsigned>(steps_[step].dynamic_shared);
  config.hStream = stream;
  // The driver only reads the attributes and arguments that it takes as non-const.
  config.attrs = const_cast<CUlaunchAttribute*>(function.attributes.data());
  config.numAttrs = static_cast<unsigned>(function.attributes.size());
  std::vector<void*> arguments;
  arguments.reserve(bound.arguments.size());
  for (const BoundArguments::Argument& argument : bound.arguments) {
    arguments.push_back(const_cast<std::byte*>(argument.bytes.data()));
  }
  const CUresult result =
      driver_.launch_kernel(&config, function.function, arguments.data(), nullptr);
  driver_.check(result, "cuLaunchKernelEx of {}", steps_[step].lowered_name);
}

void LaunchSequence::enqueue(const BoundArguments& arguments, CUstream stream) const {
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const LaunchStep& step = steps_[i];
    if (step.kind == LaunchStep::Kind::kernel) {
      launch(i, arguments.steps[i], stream);
    } else if (step.memset_bytes > 0) {
      driver_.check(driver_.memset_bytes(arguments.steps[i].memset_address,
                                         static_cast<unsigned char>(step.memset_value),
                                         static_cast<std::size_t>(step.memset_bytes), stream),
                    "cuMemsetD8Async of {} bytes of {}", step.memset_bytes, step.memset_target);
    }
  }
}

}  // namespace tuner
