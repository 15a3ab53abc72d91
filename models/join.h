// How the pipes of one launch make its time: what overlaps, what adds up, and what whole blocks and
// whole waves of blocks add. Pure.
#pragma once

#include "models/pipes.h"

namespace tuner::models {

// (a^p + b^p)^(1/p): 1 is the sum, large p the maximum.
double norm(double a, double b, double p);

// With whole blocks and waves; launch overhead not included.
double joined_ns(const LaunchLoad& load, const PipeTimes& pipes);
// With the work spread evenly over SMs and time.
double even_ns(const LaunchLoad& load, const PipeTimes& pipes);

// Whole ÷ even: the share of blocks of the busiest SM, and of waves. 1 where everything divides.
double block_quantization(const LaunchLoad& load);
double wave_quantization(const LaunchLoad& load);

}  // namespace tuner::models
