// PTX around the statements of a test: kernels with the parameters x (a pointer) and n.
#pragma once

#include <string>

namespace tuner::ptx {

inline std::string kernel(const std::string& name, const std::string& body) {
  return ".visible .entry " + name +
         "(\n.param .u64 x,\n.param .u64 n\n)\n.maxntid 256, 1, 1\n{\n" + body + "\n}\n";
}

inline std::string module(const std::string& kernels) {
  return "//\n// Generated\n//\n.version 9.0\n.target sm_90\n.address_size 64\n\n" + kernels;
}

}  // namespace tuner::ptx
