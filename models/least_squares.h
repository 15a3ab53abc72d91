// Least squares that a few bad measurements do not spoil. Pure; the algebra is Eigen's.
//
// Residuals are relative to the measured value. Points are first weighted down the further they are
// off (Huber's weights, by the median absolute deviation); those that then lie beyond six of these
// deviations are left out, and the rest is fitted once more, unweighted.
#pragma once

#include <Eigen/Core>
#include <functional>
#include <span>
#include <string>

namespace tuner::models {

struct LeastSquares {
  Eigen::VectorXd parameters;
  double residual = 0;  // root mean square of the relative residuals of the points that were kept
  int points = 0;       // given
  int left_out = 0;     // of them, as outliers
  std::string problem;  // why this is no fit; empty where it is one
};

// measured[i] = sum over j of terms(i, j) * parameters[j]. There must be more rows than columns,
// measured values above 0, and columns that are not each other's multiples.
LeastSquares linear_fit(const Eigen::MatrixXd& terms, const Eigen::VectorXd& measured);

// Levenberg and Marquardt's method from `start`; `predict` gives the values for parameters. Choose
// parameters of a size near 1 (logarithms, say).
using Prediction = std::function<Eigen::VectorXd(const Eigen::VectorXd& parameters)>;
LeastSquares nonlinear_fit(const Prediction& predict, const Eigen::VectorXd& measured,
                           const Eigen::VectorXd& start);

}  // namespace tuner::models
