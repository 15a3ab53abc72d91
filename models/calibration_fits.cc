#include "models/calibration_fits.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "models/estimate.h"
#include "models/join.h"
#include "models/least_squares.h"

namespace tuner::models {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kWarp = 32;
constexpr double kAny = -1;
constexpr int kAnyThreads = -1;

Fitted problem(std::string text) {
  Fitted fitted;
  fitted.problem = std::move(text);
  return fitted;
}

Fitted of_fit(const LeastSquares& fit, double value) {
  Fitted fitted;
  fitted.value = value;
  fitted.residual = fit.residual;
  fitted.points = fit.points - fit.left_out;
  fitted.problem = fit.problem;
  if (fit.left_out > 0) {
    fitted.note = fmt::format("{} of {} points left out as outliers", fit.left_out, fit.points);
  }
  return fitted;
}

VectorXd times(const std::vector<ProbePoint>& points) {
  VectorXd result(static_cast<Index>(points.size()));
  for (std::size_t i = 0; i < points.size(); ++i) result[static_cast<Index>(i)] = points[i].time_ns;
  return result;
}

VectorXd to_vector(const std::vector<double>& values) {
  return Eigen::Map<const VectorXd>(values.data(), static_cast<Index>(values.size()));
}

// The value that a slope becomes, where there is one.
template <typename Convert>
Fitted converted(Fitted fitted, Convert convert) {
  if (!fitted.problem.empty()) return fitted;
  if (!(fitted.value > 0)) {
    fitted.problem = "more work takes no more time";
    return fitted;
  }
  fitted.value = convert(fitted.value);
  return fitted;
}

// Threads that share a SM; what each of them does once a slope, the SM does so often.
double threads_of_sm(const ProbePoint& point) {
  return static_cast<double>(point.threads) * std::max(point.blocks_per_sm, 1);
}

// Of a SM: units of all its threads a clock, from ns that one unit more of each thread takes.
Fitted per_clock(const std::vector<ProbePoint>& points, double ghz, double units_of_thread) {
  return converted(slope_ns(points), [&](double ns) {
    return threads_of_sm(points.front()) * units_of_thread / (ns * ghz);
  });
}

int most_threads(const Points& points, Probe probe) {
  const std::vector<int> all = points.threads(probe);
  return all.empty() ? kAnyThreads : all.back();
}

// Of two rates the higher; where only one could be told, that.
Fitted higher(const Fitted& a, const Fitted& b) {
  if (!a.problem.empty()) return b;
  return b.problem.empty() && b.value > a.value ? b : a;
}

// The highest of the rates of `probe`, by variant, with its SM full.
Fitted highest_rate(const Points& points, Probe probe, double ghz, double units_of_thread) {
  Fitted best = problem("not measured");
  for (const double variant : points.variants(probe)) {
    best = higher(best, per_clock(points.of(probe, variant, most_threads(points, probe)), ghz,
                                  units_of_thread));
  }
  return best;
}

// Parameters: logs of the roofs of reads and copies, of t0, and of p - 1.
struct StreamLaw {
  double read_gbps, copy_gbps, latency_ns, p;

  explicit StreamLaw(const VectorXd& at)
      : read_gbps(std::exp(at[0])),
        copy_gbps(std::exp(at[1])),
        latency_ns(std::exp(at[2])),
        p(1 + std::exp(at[3])) {}

  double time_ns(const ProbePoint& point, int sm_count) const {
    const bool copy = point.probe == Probe::copy;
    const double waiting = point.amount * latency_ns / (point.variant * sm_count);
    return norm(waiting, copy ? 2 * point.amount / copy_gbps : point.amount / read_gbps, p);
  }
};

VectorXd stream_start(const std::vector<ProbePoint>& reads, const std::vector<ProbePoint>& copies,
                      int sm_count) {
  const auto highest = [](const std::vector<ProbePoint>& points) {
    double gbps = 0;
    for (const ProbePoint& point : points) gbps = std::max(gbps, point.amount / point.time_ns);
    return gbps;
  };
  const ProbePoint& emptiest = *std::ranges::min_element(reads, {}, &ProbePoint::variant);
  const double latency = emptiest.time_ns * emptiest.variant * sm_count / emptiest.amount;
  VectorXd start(4);
  start << std::log(highest(reads)), std::log(2 * highest(copies)), std::log(latency),
      std::log(0.8);
  return start;
}

}  // namespace

std::vector<ProbePoint> Points::of(Probe probe) const { return of(probe, kAny, kAnyThreads); }

std::vector<ProbePoint> Points::of(Probe probe, double variant, int threads) const {
  std::vector<ProbePoint> result;
  for (const ProbePoint& point : all_) {
    const bool wanted = point.probe == probe && (variant < 0 || point.variant == variant) &&
                        (threads < 0 || point.threads == threads);
    if (wanted) result.push_back(point);
  }
  return result;
}

std::vector<double> Points::variants(Probe probe) const {
  std::set<double> result;
  for (const ProbePoint& point : of(probe)) result.insert(point.variant);
  return {result.begin(), result.end()};
}

std::vector<int> Points::threads(Probe probe) const {
  std::set<int> result;
  for (const ProbePoint& point : of(probe)) result.insert(point.threads);
  return {result.begin(), result.end()};
}

Fitted slope_ns(const std::vector<ProbePoint>& points) {
  if (points.empty()) return problem("not measured");
  MatrixXd terms(static_cast<Index>(points.size()), 2);
  for (std::size_t i = 0; i < points.size(); ++i) {
    terms.row(static_cast<Index>(i)) << 1.0, points[i].amount;
  }
  const LeastSquares fit = linear_fit(terms, times(points));
  return of_fit(fit, fit.problem.empty() ? fit.parameters[1] : 0);
}

Fitted fit_launch_us(const Points& points) {
  std::vector<double> all;
  for (const ProbePoint& point : points.of(Probe::launch)) all.push_back(point.time_ns * 1e-3);
  if (all.empty()) return problem("not measured");
  std::ranges::sort(all);
  Fitted fitted;
  fitted.value = all[all.size() / 2];
  fitted.points = static_cast<int>(all.size());
  return fitted;
}

Fitted fit_blocks_per_us(const Points& points) {
  constexpr int kFewest = 64, kMost = 256;
  const auto rate = [](double ns) { return 1e3 / ns; };
  std::vector<ProbePoint> chosen;
  std::string others;
  for (const int threads : points.threads(Probe::dispatch)) {
    const std::vector<ProbePoint> these = points.of(Probe::dispatch, kAny, threads);
    if (threads >= kFewest && threads <= kMost) {
      chosen.insert(chosen.end(), these.begin(), these.end());
      continue;
    }
    const Fitted alone = converted(slope_ns(these), rate);
    if (!alone.problem.empty()) continue;
    others +=
        fmt::format("{}{:.0f} of {} threads", others.empty() ? "" : ", ", alone.value, threads);
  }
  Fitted fitted = converted(slope_ns(chosen), rate);
  if (!others.empty()) fitted.note += (fitted.note.empty() ? "" : "; ") + others;
  return fitted;
}

Fitted fit_clock_mhz(const Points& points) {
  return converted(slope_ns(points.of(Probe::clock)), [](double ns) { return 1e3 / ns; });
}

Fitted fit_fma_latency(const Points& points, double ghz) {
  // A warp a scheduler: each FMA waits for the one before, and no other warp's is in its way.
  constexpr double kOneChain = 1;
  constexpr int kFourWarps = 128;
  return converted(slope_ns(points.of(Probe::fma_immediate, kOneChain, kFourWarps)),
                   [&](double ns) { return ns * ghz; });
}

Fitted fit_fma_per_clock(const Points& points, double ghz) {
  Fitted best = problem("not measured");
  for (const Probe probe : {Probe::fma_three, Probe::fma_two, Probe::fma_immediate}) {
    best = higher(best, highest_rate(points, probe, ghz, 1));
  }
  return best;
}

Fitted fit_fp64_per_clock(const Points& points, double ghz) {
  return highest_rate(points, Probe::fma_double, ghz, 1);
}

Fitted fit_issue_per_clock(const Points& points, double ghz) {
  return highest_rate(points, Probe::issue, ghz, 1 / kWarp);
}

Fitted fit_shared_bytes_per_clock(const Points& points, double ghz) {
  constexpr double kWidth = 4;
  return highest_rate(points, Probe::shared_read, ghz, kWidth);
}

Fitted fit_shared_latency(const Points& points, double ghz) {
  return converted(slope_ns(points.of(Probe::shared_chase)), [&](double ns) { return ns * ghz; });
}

Fitted fit_lines_per_clock(const Points& points, double ghz) {
  std::vector<double> cycles, lines;
  for (const double variant : points.variants(Probe::tags)) {
    const std::vector<ProbePoint> these = points.of(Probe::tags, variant, kAnyThreads);
    Fitted requests = per_clock(these, ghz, 1 / kWarp);
    if (!requests.problem.empty()) return requests;
    cycles.push_back(1 / requests.value);
    lines.push_back(variant);
  }
  if (cycles.empty()) return problem("not measured");
  const LeastSquares fit = linear_fit(to_vector(lines), to_vector(cycles));
  return of_fit(fit, fit.problem.empty() ? 1 / fit.parameters[0] : 0);
}

Fitted fit_barrier(const Points& points, double ghz) {
  std::vector<double> cycles, warps;
  for (const int threads : points.threads(Probe::barrier)) {
    Fitted fitted = slope_ns(points.of(Probe::barrier, kAny, threads));
    if (!fitted.problem.empty()) return fitted;
    cycles.push_back(fitted.value * ghz);
    warps.push_back(threads / kWarp);
  }
  if (cycles.empty()) return problem("not measured");
  const VectorXd each = to_vector(warps);
  const auto predict = [&](const VectorXd& at) -> VectorXd { return each.array() + at[0]; };
  const LeastSquares fit =
      nonlinear_fit(predict, to_vector(cycles), VectorXd::Constant(1, cycles.front()));
  return of_fit(fit, fit.problem.empty() ? fit.parameters[0] : 0);
}

PortFit fit_ports(const Points& points) {
  const Fitted best = fit_fma_per_clock(points, 1);
  if (!best.problem.empty()) return {best, best};
  std::vector<double> factors, chains;
  for (const double variant : points.variants(Probe::fma_three)) {
    const Fitted fitted = per_clock(
        points.of(Probe::fma_three, variant, most_threads(points, Probe::fma_three)), 1, 1);
    if (!fitted.problem.empty()) return {fitted, fitted};
    factors.push_back(best.value / fitted.value);
    chains.push_back(variant);
  }
  if (factors.empty()) return {problem("not measured"), problem("not measured")};
  constexpr double kNothingHeldBack = 1.05;
  if (factors.front() < kNothingHeldBack) {
    Fitted slowdown;
    slowdown.value = std::max(1.0, factors.front());
    slowdown.points = 1;
    return {slowdown, problem("the register ports hold nothing back here, so nothing tells it")};
  }
  // Parameters: log of the slowdown, log of log2 of the free chains.
  const auto predict = [&](const VectorXd& at) {
    VectorXd result(static_cast<Index>(chains.size()));
    for (std::size_t i = 0; i < chains.size(); ++i) {
      const double held = 1 - std::log2(chains[i]) / std::exp(at[1]);
      result[static_cast<Index>(i)] = 1 + (std::exp(at[0]) - 1) * std::clamp(held, 0.0, 1.0);
    }
    return result;
  };
  VectorXd start(2);
  start << std::log(factors.front()), std::log(2.0);
  const LeastSquares fit = nonlinear_fit(predict, to_vector(factors), start);
  if (!fit.problem.empty()) return {of_fit(fit, 0), of_fit(fit, 0)};
  return {of_fit(fit, std::exp(fit.parameters[0])),
          of_fit(fit, std::exp2(std::exp(fit.parameters[1])))};
}

Fitted fit_l2_gbps(const Points& points) {
  return converted(slope_ns(points.of(Probe::l2_read)), [](double ns) { return 1 / ns; });
}

Fitted fit_l2_latency_ns(const Points& points) { return slope_ns(points.of(Probe::l2_chase)); }

Fitted fit_dram_chase_ns(const Points& points) { return slope_ns(points.of(Probe::dram_chase)); }

StreamFit fit_streams(const Points& points, int sm_count, double launch_us) {
  const auto all_failed = [](const std::string& why) {
    return StreamFit{problem(why), problem(why), problem(why), problem(why)};
  };
  const std::vector<ProbePoint> reads = points.of(Probe::read), copies = points.of(Probe::copy);
  if (reads.empty() || copies.empty()) return all_failed("not measured");
  std::vector<ProbePoint> all = reads;
  all.insert(all.end(), copies.begin(), copies.end());
  const auto predict = [&](const VectorXd& at) {
    const StreamLaw law(at);
    VectorXd result(static_cast<Index>(all.size()));
    for (std::size_t i = 0; i < all.size(); ++i) {
      result[static_cast<Index>(i)] = launch_us * 1e3 + law.time_ns(all[i], sm_count);
    }
    return result;
  };
  const LeastSquares fit =
      nonlinear_fit(predict, times(all), stream_start(reads, copies, sm_count));
  if (!fit.problem.empty()) return all_failed(fit.problem);
  const StreamLaw law(fit.parameters);
  return {of_fit(fit, law.read_gbps), of_fit(fit, law.copy_gbps), of_fit(fit, law.latency_ns),
          of_fit(fit, law.p)};
}

Fitted fit_dram_granule(const Points& points) {
  const std::vector<ProbePoint> strided = points.of(Probe::strided);
  if (strided.empty()) return problem("not measured");
  Fitted best = problem("not measured");
  double second = std::numeric_limits<double>::infinity();
  for (const double granule : {32.0, 64.0, 128.0}) {
    VectorXd moved(static_cast<Index>(strided.size()));
    for (std::size_t i = 0; i < strided.size(); ++i) {
      moved[static_cast<Index>(i)] = strided[i].amount * std::min(strided[i].variant, granule);
    }
    // All points count here: the wrong granule is off in single strides.
    const VectorXd shape = moved.cwiseQuotient(times(strided));
    const double scale = shape.sum() / shape.squaredNorm();
    const double residual = std::sqrt((shape * scale - VectorXd::Ones(shape.size())).squaredNorm() /
                                      static_cast<double>(shape.size()));
    if (!best.problem.empty() || residual < best.residual) {
      if (best.problem.empty()) second = best.residual;
      best = {.value = granule,
              .residual = residual,
              .points = static_cast<int>(strided.size()),
              .problem = {},
              .note = {}};
    } else {
      second = std::min(second, residual);
    }
  }
  constexpr double kClearly = 1.5;
  if (!(second > kClearly * best.residual)) {
    best.problem = fmt::format("two sizes explain the strides alike (off by {:.1f} and {:.1f} %)",
                               100 * best.residual, 100 * second);
  }
  return best;
}

Fitted fit_block_drain(const Points& points, const DeviceProfile& device) {
  const std::vector<ProbePoint> sweep = points.of(Probe::scale);
  if (sweep.empty()) return problem("not measured");
  const auto predict = [&](const VectorXd& at) {
    DeviceProfile candidate = device;
    candidate.block_drain = std::exp(at[0]);
    VectorXd result(static_cast<Index>(sweep.size()));
    for (std::size_t i = 0; i < sweep.size(); ++i) {
      const KernelShape shape = scale_shape(candidate, sweep[i].threads, sweep[i].amount);
      result[static_cast<Index>(i)] = estimate(candidate, shape).time_ns;
    }
    return result;
  };
  const LeastSquares fit =
      nonlinear_fit(predict, times(sweep), VectorXd::Constant(1, std::log(0.1)));
  return of_fit(fit, fit.problem.empty() ? std::exp(fit.parameters[0]) : 0);
}

}  // namespace tuner::models
