#include "models/least_squares.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace tuner::models {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using testing::HasSubstr;
using testing::IsEmpty;

// 3 + 0.5 x at x = 1, 2, 4, …
struct Line {
  MatrixXd terms;
  VectorXd values;

  explicit Line(Index points) : terms(points, 2), values(points) {
    for (Index i = 0; i < points; ++i) {
      const double x = std::exp2(static_cast<double>(i));
      terms.row(i) << 1, x;
      values[i] = 3 + 0.5 * x;
    }
  }
};

TEST(LinearFit, RecoversALine) {
  const Line line(5);
  const LeastSquares fit = linear_fit(line.terms, line.values);
  ASSERT_THAT(fit.problem, IsEmpty());
  EXPECT_NEAR(fit.parameters[0], 3, 1e-9);
  EXPECT_NEAR(fit.parameters[1], 0.5, 1e-9);
  EXPECT_NEAR(fit.residual, 0, 1e-9);
  EXPECT_EQ(fit.left_out, 0);
}

TEST(LinearFit, StatesTheResidualOfNoise) {
  Line line(12);
  std::mt19937_64 random(3);
  std::normal_distribution<double> noise(0, 0.01);
  for (double& value : line.values) value *= 1 + noise(random);
  const LeastSquares fit = linear_fit(line.terms, line.values);
  ASSERT_THAT(fit.problem, IsEmpty());
  EXPECT_NEAR(fit.parameters[1], 0.5, 0.01);
  EXPECT_GT(fit.residual, 0.003);
  EXPECT_LT(fit.residual, 0.02);
}

TEST(LinearFit, LeavesOutOneOfEight) {
  Line line(8);
  line.values[5] *= 1.7;
  const LeastSquares fit = linear_fit(line.terms, line.values);
  ASSERT_THAT(fit.problem, IsEmpty());
  EXPECT_EQ(fit.left_out, 1);
  EXPECT_NEAR(fit.parameters[0], 3, 1e-6);
  EXPECT_NEAR(fit.parameters[1], 0.5, 1e-6);
}

TEST(LinearFit, RefusesWhatIsNoFit) {
  Line same(4);
  same.terms.col(1).setConstant(8);
  EXPECT_THAT(linear_fit(same.terms, same.values).problem, HasSubstr("apart"));
  const Line two(2);
  EXPECT_THAT(linear_fit(two.terms, two.values).problem, HasSubstr("2 measured points"));
  Line negative(4);
  negative.values[2] = 0;
  EXPECT_THAT(linear_fit(negative.terms, negative.values).problem, HasSubstr("not above 0"));
  Line torn(4);
  torn.values[1] *= 3;
  torn.values[2] *= 0.2;
  const LeastSquares fit = linear_fit(torn.terms, torn.values);
  EXPECT_TRUE(!fit.problem.empty() || fit.residual > 0.2) << fit.residual;
}

// a x^b, in logarithms of a and b.
VectorXd powers(const VectorXd& at) {
  VectorXd result(6);
  for (Index i = 0; i < 6; ++i) {
    result[i] = std::exp(at[0]) * std::pow(1.0 + static_cast<double>(i), std::exp(at[1]));
  }
  return result;
}

TEST(NonlinearFit, RecoversAPower) {
  VectorXd truth(2), start(2);
  truth << std::log(40.0), std::log(1.7);
  start << std::log(5.0), std::log(1.0);
  VectorXd measured = powers(truth);
  measured[3] *= 1.5;  // an outlier
  const LeastSquares fit = nonlinear_fit(powers, measured, start);
  ASSERT_THAT(fit.problem, IsEmpty());
  EXPECT_NEAR(std::exp(fit.parameters[0]), 40, 0.01);
  EXPECT_NEAR(std::exp(fit.parameters[1]), 1.7, 0.001);
  EXPECT_EQ(fit.left_out, 1);
}

TEST(NonlinearFit, RefusesParametersThatDoNothing) {
  const auto predict = [](const VectorXd& at) -> VectorXd {
    return VectorXd::Constant(5, std::exp(at[0]));
  };
  VectorXd start(2);
  start << 0, 0;
  EXPECT_THAT(nonlinear_fit(predict, VectorXd::Constant(5, 7), start).problem, HasSubstr("apart"));
}

}  // namespace
}  // namespace tuner::models
