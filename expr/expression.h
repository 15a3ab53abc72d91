// The project's small typed expression language (DESIGN section 4): constraints, launch shapes,
// buffer sizes, tolerances, work counts and the model's index expressions are all written in it.
//
//   literals     12  0x10  1.5  2e9  true  false  'text'  "text"
//   operators    ?:   or   and   not   == != < <= > >=   + -   * / %   unary -   ( )
//   functions    min max (two or more) ceil_div round_up is_pow2 sqrt log2 abs sizeof to_real floor
//
// Integers are 64 bits and checked: overflow, division by zero and sqrt of a negative number are
// errors that point into the text. int / int truncates toward zero, as in C. An integer next to a
// real widens; nothing else converts. `and`, `or` and `?:` evaluate only what they need. sizeof
// takes a type name as text: f16 bf16 f32 f64 i8 u8 i16 u16 i32 u32 i64 u64, or the C++ spelling.
//
// The weakest operator stands first above, and a comparison does not chain. ceil_div and round_up
// take a numerator of at least 0 and a positive divisor; sqrt and log2 give reals; floor gives the
// integer; reals follow IEEE 754 except that division by zero is an error; texts compare by == and
// != only.
//
// An Expression is immutable after compile and may be evaluated by several threads at once.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "expr/error.h"
#include "expr/value.h"

namespace tuner::expr {

// An error in a text, or in its evaluation. what() holds the text and a caret under the position.
class ExpressionError : public TunerError {
 public:
  ExpressionError(std::string_view text, std::size_t position, const std::string& message);
  std::size_t position() const noexcept { return position_; }  // byte offset into the text
  // The message without text and caret.
  const std::string& reason() const noexcept { return reason_; }

 private:
  std::size_t position_;
  std::string reason_;
};

// One value without its type, which the Scope's slot knows. Booleans are 0/1 in `i`; text is the id
// that the Scope gave it.
union Cell {
  std::int64_t i;
  double d;
};

// The names that texts may use: values, each with a type and a slot number 0, 1, 2 … in order of
// adding, and definitions, which stand for texts. A value that is fixed is known before any text is
// compiled: it becomes a constant there, and what hangs on it is computed or left out.
// Owns the interned strings, so it must outlive, and not move under, the expressions compiled
// against it.
class Scope {
 public:
  Scope();
  // With the slots of `other` under the same numbers, without its fixed values and definitions. The
  // two share their texts' ids, so that cells of one mean the same in the other.
  static std::unique_ptr<Scope> with_slots_of(const Scope& other);
  ~Scope();
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;

  // Returns the slot. Throws TunerError where the name is taken or not an identifier. Not
  // thread-safe, and not to be called while others read.
  int add(std::string_view name, Type type);
  // From now on texts that use the slot are compiled with this value.
  void fix(int slot, Cell value);
  std::optional<Cell> fixed(int slot) const;
  // From now on `name` stands for the expression `text`, in parentheses. It may use definitions
  // made before it. Throws as add(), and ExpressionError where the text does not compile.
  void define(std::string_view name, std::string_view text);
  // The text that a name stands for; nullptr where it stands for none.
  const std::string* definition(std::string_view name) const;
  std::optional<int> find(std::string_view name) const;  // a slot
  std::vector<std::string> names() const;                // of slots and definitions
  int size() const;                                      // slots
  const std::string& name(int slot) const;
  Type type(int slot) const;

  // Converts between a Value and the cell of a slot of that type. encode throws TunerError where
  // the types differ (an integer is accepted for a real slot). Thread-safe.
  Cell encode(const Value& value, Type type) const;
  Value decode(Cell cell, Type type) const;

 private:
  void check_free(std::string_view name) const;

  struct Impl;
  std::unique_ptr<Impl> impl_;
};

inline constexpr int kLanes = 32;

class Expression {
 public:
  // Throws ExpressionError: syntax, unknown name (with the nearest known one), wrong types.
  static Expression compile(std::string_view text, const Scope& scope);

  Type type() const;
  const std::string& text() const;
  std::span<const int> slots() const;  // the slots it reads, sorted, each once

  // `cells` holds a cell for every slot of the scope (those not in slots() may be anything).
  Cell evaluate(std::span<const Cell> cells) const;
  Value value(std::span<const Cell> cells) const;

  // Typed shorthands. Each throws ExpressionError where the expression is of another type
  // (real() takes an integer expression too).
  std::int64_t integer(std::span<const Cell> cells) const;
  double real(std::span<const Cell> cells) const;
  bool boolean(std::span<const Cell> cells) const;

  // Evaluates for the 32 lanes of a warp at once, one bytecode pass. Slot `varying[j]` takes
  // `lane_cells[j][lane]`; all others take cells[slot]. Where lanes differ, both branches of ?:,
  // and, or are run, each for the lanes that need it, so that a lane throws only what evaluate()
  // would.
  void evaluate_lanes(std::span<const Cell> cells, std::span<const int> varying,
                      std::span<const std::array<Cell, kLanes>> lane_cells,
                      std::array<Cell, kLanes>& result) const;

  // The value as a C++17 expression, for source that is generated: what follows from `known` (by
  // slot) is computed now, any other slot becomes `name(slot)`. Integers are long long, and are not
  // checked for overflow. It calls ceil_div, round_up, is_pow2, smaller, larger, absolute, whole,
  // square_root and logarithm2, which the generated source has to declare. Throws ExpressionError:
  // a fault in what is computed, sizeof of an unknown name, a text as the value, or more cases than
  // anyone would read.
  std::string cpp(std::span<const std::optional<Cell>> known,
                  const std::function<std::string(int slot)>& name) const;

 private:
  void require(Type needed) const;  // throws ExpressionError where type() is another

  struct Impl;
  std::shared_ptr<const Impl> impl_;
};

// Bytes of a named element type, shared by sizeof() and buffers; nullopt for an unknown name.
std::optional<std::int64_t> size_of_type(std::string_view name);
// The C++ spelling of a short type name ("f32" -> "float"); any other name is returned as it is.
std::string cpp_type_name(std::string_view name);

// A text with ${expression} holes, for entry names and -D values: "matmul<${dtype}, ${BM}>".
// Integers print as digits, reals as a C++ double, booleans as true/false, text as its C++ type
// name where it is a type. Errors point into the template, but those of render() into the hole's
// text.
class Template {
 public:
  static Template compile(std::string_view text, const Scope& scope);
  std::string render(std::span<const Cell> cells) const;
  const std::string& text() const { return text_; }
  std::vector<int> slots() const;

 private:
  std::string text_;
  std::vector<std::string> literals_;  // one more than expressions_
  std::vector<Expression> expressions_;
};

// The known name closest to `name` by edit distance, for "did you mean"; nullopt where none is
// near.
std::optional<std::string> nearest_name(std::string_view name, std::span<const std::string> known);

}  // namespace tuner::expr
