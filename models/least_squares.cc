#include "models/least_squares.h"

#include <fmt/format.h>

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <unsupported/Eigen/NonLinearOptimization>
#include <unsupported/Eigen/NumericalDiff>
#include <vector>

namespace tuner::models {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr int kRounds = 10;
constexpr double kHuber = 1.345;  // of the deviation: 95 % as good as plain where errors are normal
constexpr double kOutlier = 6;    // deviations
constexpr double kLeastDeviation = 2e-3;  // measurements are no better than this
constexpr double kMostLeftOut = 0.25;
constexpr double kFarOff = 1e6;
constexpr const char* kNotToldApart = "the measurements do not tell the constants apart";

// Parameters that minimise the weighted residuals; empty where there are none.
using Solver = std::function<VectorXd(const VectorXd& weights)>;
using Residuals = std::function<VectorXd(const VectorXd& parameters)>;

// 1.4826 × the median of |residual| is the standard deviation where errors are normal. As many
// residuals as parameters can be made 0, and say nothing.
double deviation(const VectorXd& residuals, Index parameters) {
  std::vector<double> sizes;
  for (const double residual : residuals) sizes.push_back(std::abs(residual));
  std::ranges::sort(sizes);
  const auto first = static_cast<std::size_t>(parameters);
  const std::size_t middle = first + (sizes.size() - first) / 2;
  return std::max(1.4826 * sizes[std::min(middle, sizes.size() - 1)], kLeastDeviation);
}

VectorXd huber_weights(const VectorXd& residuals, double scale) {
  VectorXd weights(residuals.size());
  for (Index i = 0; i < residuals.size(); ++i) {
    weights[i] = std::min(1.0, kHuber * scale / std::max(std::abs(residuals[i]), 1e-300));
  }
  return weights;
}

LeastSquares failed(std::string problem, Index points) {
  LeastSquares result;
  result.problem = std::move(problem);
  result.points = static_cast<int>(points);
  return result;
}

LeastSquares robust(const Solver& solve, const Residuals& residuals_of, Index points,
                    Index parameters) {
  VectorXd weights = VectorXd::Ones(points);
  VectorXd residuals;
  double scale = 0;
  for (int round = 0; round < kRounds; ++round) {
    const VectorXd found = solve(weights);
    if (found.size() == 0) return failed(kNotToldApart, points);
    residuals = residuals_of(found);
    scale = deviation(residuals, parameters);
    weights = huber_weights(residuals, scale);
  }
  LeastSquares result;
  result.points = static_cast<int>(points);
  for (Index i = 0; i < points; ++i) {
    const bool outlier = !(std::abs(residuals[i]) <= kOutlier * scale);
    weights[i] = outlier ? 0 : 1;
    result.left_out += outlier ? 1 : 0;
  }
  const Index kept = points - result.left_out;
  if (kept <= parameters || result.left_out > kMostLeftOut * static_cast<double>(points)) {
    return failed(fmt::format("{} of {} points contradict the others", result.left_out, points),
                  points);
  }
  result.parameters = solve(weights);
  if (result.parameters.size() == 0) return failed(kNotToldApart, points);
  residuals = residuals_of(result.parameters).cwiseProduct(weights);
  result.residual = std::sqrt(residuals.squaredNorm() / static_cast<double>(kept));
  return result;
}

std::string problem_of(const VectorXd& measured, Index parameters) {
  if (measured.size() <= parameters) {
    return fmt::format("{} measured points for {} constants", measured.size(), parameters);
  }
  if (!measured.allFinite() || !(measured.minCoeff() > 0)) return "a measured value is not above 0";
  return {};
}

// Whether each parameter moves the prediction, and not just as another one does.
bool told_apart(MatrixXd slopes) {
  constexpr double kLeastEffect = 1e-4, kLeastAngle = 1e-3;
  const VectorXd sizes = slopes.colwise().norm();
  if (!slopes.allFinite() || !(sizes.minCoeff() > kLeastEffect * sizes.maxCoeff())) return false;
  Eigen::ColPivHouseholderQR<MatrixXd> qr;
  qr.setThreshold(kLeastAngle);
  qr.compute(slopes * sizes.cwiseInverse().asDiagonal());
  return qr.rank() == slopes.cols();
}

// In the form that Eigen's Levenberg-Marquardt asks for.
struct WeightedResiduals {
  using Scalar = double;
  using InputType = VectorXd;
  using ValueType = VectorXd;
  using JacobianType = MatrixXd;
  enum { InputsAtCompileTime = Eigen::Dynamic, ValuesAtCompileTime = Eigen::Dynamic };

  const Residuals& residuals_of;
  const VectorXd& weights;
  int parameters;

  int inputs() const { return parameters; }
  int values() const { return static_cast<int>(weights.size()); }
  int operator()(const VectorXd& at, VectorXd& result) const {
    result = residuals_of(at).cwiseProduct(weights.cwiseSqrt());
    // A step that overflows is one to turn back from; a status would end the search.
    result = result.array().isFinite().select(result, kFarOff);
    return 0;
  }
};

}  // namespace

LeastSquares linear_fit(const MatrixXd& terms, const VectorXd& measured) {
  const Index parameters = terms.cols();
  if (std::string problem = problem_of(measured, parameters); !problem.empty()) {
    return failed(std::move(problem), measured.size());
  }
  // Relative errors, and columns of one size, so that the rank is told by what they say.
  MatrixXd scaled = measured.cwiseInverse().asDiagonal() * terms;
  const VectorXd sizes = scaled.colwise().norm();
  if (!(sizes.minCoeff() > 0)) {
    return failed(kNotToldApart, measured.size());
  }
  scaled = scaled * sizes.cwiseInverse().asDiagonal();
  const VectorXd ones = VectorXd::Ones(measured.size());
  const Solver solve = [&](const VectorXd& weights) -> VectorXd {
    const VectorXd roots = weights.cwiseSqrt();
    Eigen::ColPivHouseholderQR<MatrixXd> qr;
    qr.setThreshold(1e-6);
    qr.compute(roots.asDiagonal() * scaled);
    if (qr.rank() < parameters) return {};
    return qr.solve(roots).cwiseQuotient(sizes);
  };
  const Residuals residuals = [&](const VectorXd& found) -> VectorXd {
    return scaled * found.cwiseProduct(sizes) - ones;
  };
  return robust(solve, residuals, measured.size(), parameters);
}

LeastSquares nonlinear_fit(const Prediction& predict, const VectorXd& measured,
                           const VectorXd& start) {
  if (std::string problem = problem_of(measured, start.size()); !problem.empty()) {
    return failed(std::move(problem), measured.size());
  }
  const Residuals residuals = [&](const VectorXd& at) -> VectorXd {
    return predict(at).cwiseQuotient(measured) - VectorXd::Ones(measured.size());
  };
  const Solver solve = [&](const VectorXd& weights) -> VectorXd {
    const WeightedResiduals function{residuals, weights, static_cast<int>(start.size())};
    Eigen::NumericalDiff<WeightedResiduals> differences(function);
    Eigen::LevenbergMarquardt<Eigen::NumericalDiff<WeightedResiduals>> method(differences);
    VectorXd at = start;
    const auto status = method.minimize(at);
    if (status == Eigen::LevenbergMarquardtSpace::ImproperInputParameters || !at.allFinite()) {
      return {};
    }
    return at;
  };
  LeastSquares result = robust(solve, residuals, measured.size(), start.size());
  if (!result.problem.empty()) return result;
  const VectorXd weights = VectorXd::Ones(measured.size());
  const WeightedResiduals function{residuals, weights, static_cast<int>(start.size())};
  const Eigen::NumericalDiff<WeightedResiduals> differences(function);
  MatrixXd slopes(measured.size(), start.size());
  differences.df(result.parameters, slopes);
  if (!told_apart(std::move(slopes))) return failed(kNotToldApart, measured.size());
  return result;
}

}  // namespace tuner::models
