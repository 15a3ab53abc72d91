// What goes over the channel between the pool and a compiler process, as MessagePack, since a
// source or a log need not be UTF-8.
//
// The pool first sends {"library": path}; the process loads that NVRTC and answers {"problem": ""},
// or why it could not. After that each request is answered by one reply.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/compile/compiler.h"

namespace tuner {

struct CompileRequest {
  std::string name;                  // of the source, for messages of the compiler
  std::string content;               // of the source
  std::vector<std::string> options;  // complete, in the compiler's own spelling
  std::vector<std::string> entries, symbols;
  bool keep_ptx = false;
};

struct CompileReply {
  bool ok = false;
  std::string reason, log, cubin;
  std::string ptx;  // where it was asked for
  std::vector<EntryFacts> entries;
  std::vector<std::string> symbol_names;
  double compile_ms = 0;
};

std::string pack(const nlohmann::json& message);
// Throws TunerError where the bytes are no such message.
nlohmann::json unpack(std::string_view bytes);

void to_json(nlohmann::json& json, const EntryFacts& facts);
void from_json(const nlohmann::json& json, EntryFacts& facts);
void to_json(nlohmann::json& json, const CompileRequest& request);
void from_json(const nlohmann::json& json, CompileRequest& request);
void to_json(nlohmann::json& json, const CompileReply& reply);
void from_json(const nlohmann::json& json, CompileReply& reply);

}  // namespace tuner
