#include "tuner/compile/compile_message.h"

#include "expr/error.h"

namespace tuner {

std::string pack(const nlohmann::json& message) {
  std::string bytes;
  nlohmann::json::to_msgpack(message, bytes);
  return bytes;
}

nlohmann::json unpack(std::string_view bytes) {
  nlohmann::json message = nlohmann::json::from_msgpack(bytes, true, false);
  if (!message.is_object()) throw TunerError("A compiler process sent no message of the tuner's.");
  return message;
}

void to_json(nlohmann::json& json, const EntryFacts& facts) {
  json = {{"entry", facts.entry},
          {"lowered_name", facts.lowered_name},
          {"registers", facts.registers},
          {"spill_store_bytes", facts.spill_store_bytes},
          {"spill_load_bytes", facts.spill_load_bytes},
          {"stack_bytes", facts.stack_bytes},
          {"static_shared", facts.static_shared},
          {"barriers", facts.barriers}};
}

void from_json(const nlohmann::json& json, EntryFacts& facts) {
  json.at("entry").get_to(facts.entry);
  json.at("lowered_name").get_to(facts.lowered_name);
  json.at("registers").get_to(facts.registers);
  json.at("spill_store_bytes").get_to(facts.spill_store_bytes);
  json.at("spill_load_bytes").get_to(facts.spill_load_bytes);
  json.at("stack_bytes").get_to(facts.stack_bytes);
  json.at("static_shared").get_to(facts.static_shared);
  json.at("barriers").get_to(facts.barriers);
}

void to_json(nlohmann::json& json, const CompileRequest& request) {
  json = {{"name", request.name},       {"content", request.content},
          {"options", request.options}, {"entries", request.entries},
          {"symbols", request.symbols}, {"keep_ptx", request.keep_ptx}};
}

void from_json(const nlohmann::json& json, CompileRequest& request) {
  json.at("name").get_to(request.name);
  json.at("content").get_to(request.content);
  json.at("options").get_to(request.options);
  json.at("entries").get_to(request.entries);
  json.at("symbols").get_to(request.symbols);
  json.at("keep_ptx").get_to(request.keep_ptx);
}

void to_json(nlohmann::json& json, const CompileReply& reply) {
  json = {{"ok", reply.ok},
          {"reason", reply.reason},
          {"log", reply.log},
          {"cubin", reply.cubin},
          {"ptx", reply.ptx},
          {"entries", reply.entries},
          {"symbol_names", reply.symbol_names},
          {"compile_ms", reply.compile_ms}};
}

void from_json(const nlohmann::json& json, CompileReply& reply) {
  json.at("ok").get_to(reply.ok);
  json.at("reason").get_to(reply.reason);
  json.at("log").get_to(reply.log);
  json.at("cubin").get_to(reply.cubin);
  json.at("ptx").get_to(reply.ptx);
  json.at("entries").get_to(reply.entries);
  json.at("symbol_names").get_to(reply.symbol_names);
  json.at("compile_ms").get_to(reply.compile_ms);
}

}  // namespace tuner
