// A module is a list of directives; a kernel's body a list of statements, each a label, a directive
// or an instruction, with blocks in braces that have labels of their own (inline assembly).
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "expr/error.h"
#include "tuner/ptx/function.h"
#include "tuner/ptx/tokens.h"

namespace tuner::ptx {
namespace {

constexpr std::int64_t kMostSharedBytes = std::int64_t{1} << 30;

std::vector<std::string> split_opcode(std::string_view text) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const std::size_t dot = text.find('.');
    if (dot != 0) parts.emplace_back(text.substr(0, dot));
    if (dot == std::string_view::npos) break;
    text.remove_prefix(dot + 1);
  }
  return parts;
}

// Bytes of ".b8", ".f32", ".v4"…: an element's, or 0 where it is no type.
int type_bytes(std::string_view type) {
  std::size_t digits = type.size();
  while (digits > 0 && std::isdigit(static_cast<unsigned char>(type[digits - 1])) != 0) --digits;
  int bits = 0;
  std::from_chars(type.data() + digits, type.data() + type.size(), bits);
  return bits / 8;
}

std::optional<std::int64_t> parse_number(std::string_view text) {
  if (text.empty() || std::isdigit(static_cast<unsigned char>(text.front())) == 0) {
    return std::nullopt;
  }
  int base = 10;
  std::string_view digits = text;
  if (text.size() > 2 && text[0] == '0') {
    const char kind = static_cast<char>(std::tolower(static_cast<unsigned char>(text[1])));
    if (kind == 'x' || kind == 'f' || kind == 'd') base = 16;
    if (kind == 'b') base = 2;
    if (base != 10) digits.remove_prefix(2);
  }
  if (!digits.empty() && (digits.back() == 'U' || digits.back() == 'u')) digits.remove_suffix(1);
  std::uint64_t value = 0;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return static_cast<std::int64_t>(value);
}

class Parser {
 public:
  Parser(std::string_view text, std::string_view entry) : tokens_(tokenize(text)), entry_(entry) {}

  Function parse() {
    std::optional<std::size_t> body;
    while (!done()) {
      if (peek() == ".entry") {
        if (const bool wanted = take_header(); wanted) body = at_;
        skip_function();
      } else if (peek() == ".func") {
        skip_function();
      } else if (peek() == ".shared" || peek() == ".global" || peek() == ".const") {
        take_variable();
      } else {
        ++at_;
      }
    }
    if (!body) {
      throw TunerError(fmt::format("The PTX has no kernel {}.", entry_));
    }
    at_ = *body;
    take_body();
    return std::move(function_);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    const int line = tokens_.empty() ? 1 : tokens_[std::min(at_, tokens_.size() - 1)].line;
    throw TunerError(fmt::format("The PTX cannot be read: line {}: {}", line, what));
  }

  bool done() const { return at_ >= tokens_.size(); }
  std::string_view peek(std::size_t ahead = 0) const {
    return at_ + ahead < tokens_.size() ? tokens_[at_ + ahead].text : std::string_view();
  }
  std::string_view take() {
    if (done()) fail("it ends in the middle of a kernel");
    return tokens_[at_++].text;
  }
  bool take_if(std::string_view text) {
    if (peek() != text) return false;
    ++at_;
    return true;
  }

  // ".entry name ( .param .u64 a, … )": true where it is the one that is asked for.
  bool take_header() {
    ++at_;
    const std::string_view name = take();
    const bool wanted = name == entry_;
    if (wanted) function_.name = name;
    if (!take_if("(")) return wanted;
    std::string_view last;
    while (peek() != ")") {
      const std::string_view token = take();
      if (token == "," && wanted) function_.parameters.emplace_back(last);
      if (token == "[") {
        while (take() != "]") {
        }
      } else {
        last = token;
      }
    }
    ++at_;
    if (wanted && !last.empty()) function_.parameters.emplace_back(last);
    return wanted;
  }

  // Past a body in braces, or past the semicolon of a declaration.
  void skip_function() {
    while (!done() && peek() != "{" && peek() != ";") ++at_;
    if (done()) fail("it ends before a function's body");
    int depth = 0;
    do {
      const std::string_view token = take();
      if (token == "{") ++depth;
      if (token == "}") --depth;
    } while (depth > 0);
  }

  // ".shared .align 16 .b8 name[1024], … ;" of the module or of the body; also of other spaces.
  void take_variable() {
    const bool shared = take() == ".shared";
    std::int64_t align = 1;
    int element = 1;
    while (!done() && peek() != ";") {
      const std::string_view token = take();
      if (token == ".align") {
        align = std::max<std::int64_t>(1, parse_number(take()).value_or(1));
      } else if (token == "=") {
        while (!done() && peek() != ";") ++at_;
      } else if (token.front() == '.') {
        element = std::max(1, type_bytes(token));
      } else if (token != ",") {
        add_variable(shared, token, std::max<std::int64_t>(align, element), element);
      }
    }
    take();
  }

  void add_variable(bool shared, std::string_view name, std::int64_t align, int element) {
    std::int64_t bytes = element;
    while (take_if("[")) {
      bytes *= std::clamp<std::int64_t>(parse_number(peek()).value_or(0), 0, kMostSharedBytes);
      bytes = std::min(bytes, kMostSharedBytes);
      while (take() != "]") {
      }
    }
    if (!shared) {
      function_.globals.emplace_back(name);
      return;
    }
    std::int64_t& end = shared_end_;
    end = (end + align - 1) / align * align;
    function_.shared.push_back({std::string(name), bytes, end});
    end = std::min(end + bytes, kMostSharedBytes);
  }

  void take_body() {
    while (peek() != "{") take();  // .maxntid and such
    ++at_;
    scopes_ = {-1};
    int scope = 0;
    while (true) {
      const std::string_view token = peek();
      if (done()) fail("it ends in the middle of a kernel");
      if (token == "{") {
        ++at_;
        scopes_.push_back(scope);
        scope = static_cast<int>(scopes_.size()) - 1;
      } else if (token == "}") {
        ++at_;
        if (scope == 0) break;
        scope = scopes_[static_cast<std::size_t>(scope)];
      } else if (token == ";") {
        ++at_;
      } else if (token.front() == '.') {
        take_directive();
      } else if (peek(1) == ":") {
        labels_[{scope, std::string(token)}] = static_cast<int>(function_.code.size());
        at_ += 2;
      } else {
        take_instruction(scope);
      }
    }
    resolve_branches();
    // What the launch gives lies behind what the kernel declares.
    for (Variable& variable : function_.shared) {
      if (variable.bytes == 0) variable.offset = (shared_end_ + 127) / 128 * 128;
    }
  }

  void take_directive() {
    const std::string_view name = peek();
    if (name == ".shared") return take_variable();
    if (name == ".loc" || name == ".file") {  // these end with their line
      const int line = tokens_[at_].line;
      while (!done() && tokens_[at_].line == line) ++at_;
      return;
    }
    const bool registers = name == ".reg";
    while (true) {
      const std::string_view token = take();
      if (token == ";") return;
      if (registers && token.front() != '.' && token.front() != '%') plain_registers_.insert(token);
    }
  }

  void take_instruction(int scope) {
    Instruction instruction;
    instruction.line = tokens_[at_].line;
    if (take_if("@")) {
      instruction.guard_negated = take_if("!");
      instruction.guard = register_index(take());
    }
    const std::string_view opcode = take();
    if (std::isalpha(static_cast<unsigned char>(opcode.front())) == 0) {
      fail(fmt::format("expected an instruction, not '{}'", opcode));
    }
    instruction.opcode = split_opcode(opcode);
    while (peek() != ";") {
      if (done()) fail("it ends in the middle of an instruction");
      if (!take_if(",")) instruction.operands.push_back(take_operand());
    }
    ++at_;
    branch_scopes_.push_back(scope);
    function_.code.push_back(std::move(instruction));
  }

  Operand take_operand() {
    Operand operand;
    operand.negated = take_if("!");
    if (peek() == "[") return take_address();
    if (peek() == "{" || peek() == "(") return take_list();
    if (take_if("-")) {
      const std::int64_t value = parse_number(take()).value_or(0);
      operand.value = static_cast<std::int64_t>(-static_cast<std::uint64_t>(value));
      operand.kind = Operand::Kind::immediate;
      return operand;
    }
    const std::string_view token = take();
    if (const auto number = parse_number(token)) {
      operand.kind = Operand::Kind::immediate;
      operand.value = *number;
    } else if (is_register(token)) {
      operand.kind = Operand::Kind::reg;
      operand.reg = register_index(token);
    } else if (std::isalpha(static_cast<unsigned char>(token.front())) != 0 ||
               token.front() == '_' || token.front() == '$') {
      operand.kind = Operand::Kind::symbol;
      operand.symbol = token;
      if (take_if("+")) operand.value = parse_number(take()).value_or(0);
    }
    if (take_if("|")) {  // two predicates; the first may be "_"
      operand.kind = Operand::Kind::vector;
      operand.parts = {operand.reg, register_index(take())};
    }
    return operand;
  }

  // "[%rd1+16]", "[name]", "[%rd1, {%r1, %r2}]": of a tensor's the map alone.
  Operand take_address() {
    Operand operand;
    operand.kind = Operand::Kind::address;
    ++at_;
    bool first = true;
    int sign = 1;
    int depth = 1;
    while (depth > 0) {
      const std::string_view token = take();
      if (token == ";") fail("an address has no end");
      if (token == "[") ++depth;
      if (token == "]") --depth;
      if (token == ",") first = false;
      if (token == "-") sign = -1;
      if (!first || depth == 0) continue;
      if (const auto number = parse_number(token)) {
        operand.value = sign * *number;
      } else if (is_register(token)) {
        operand.reg = register_index(token);
      } else if (std::isalpha(static_cast<unsigned char>(token.front())) != 0 ||
                 token.front() == '_' || token.front() == '$') {
        operand.symbol = token;
      }
    }
    return operand;
  }

  Operand take_list() {
    Operand operand;
    operand.kind = Operand::Kind::vector;
    const std::string_view end = take() == "{" ? "}" : ")";
    while (peek() != end) {
      const std::string_view token = take();
      if (token == ";") fail("a list has no end");
      if (token == ",") continue;
      operand.parts.push_back(is_register(token) ? register_index(token) : -1);
    }
    ++at_;
    return operand;
  }

  bool is_register(std::string_view token) const {
    return token.front() == '%' || plain_registers_.contains(token);
  }

  int register_index(std::string_view token) {
    const auto [found, added] =
        register_indices_.emplace(token, static_cast<int>(function_.registers.size()));
    if (added) function_.registers.emplace_back(token);
    return found->second;
  }

  void resolve_branches() {
    for (std::size_t i = 0; i < function_.code.size(); ++i) {
      Instruction& instruction = function_.code[i];
      if (instruction.name() != "bra") continue;
      const std::string label =
          instruction.operands.empty() ? std::string() : instruction.operands.front().symbol;
      for (int scope = branch_scopes_[i]; scope >= 0 && instruction.target < 0;
           scope = scopes_[static_cast<std::size_t>(scope)]) {
        const auto found = labels_.find({scope, label});
        if (found != labels_.end()) instruction.target = found->second;
      }
      if (instruction.target < 0) {
        throw TunerError(fmt::format("The PTX cannot be read: line {}: there is no label '{}'",
                                     instruction.line, label));
      }
    }
  }

  std::vector<Token> tokens_;
  std::string entry_;
  std::size_t at_ = 0;
  Function function_;
  std::int64_t shared_end_ = 0;
  std::set<std::string_view> plain_registers_;  // declared without the usual %
  std::map<std::string_view, int> register_indices_;
  std::vector<int> scopes_;                            // each one's parent; -1: none
  std::vector<int> branch_scopes_;                     // of each instruction
  std::map<std::pair<int, std::string>, int> labels_;  // (scope, name) -> instruction
};

}  // namespace

bool Instruction::has(std::string_view part) const {
  return std::find(opcode.begin(), opcode.end(), part) != opcode.end();
}

Function parse_entry(std::string_view text, std::string_view entry) {
  return Parser(text, entry).parse();
}

}  // namespace tuner::ptx
