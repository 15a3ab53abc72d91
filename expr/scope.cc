#include <fmt/format.h>

#include <functional>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>

#include "expr/expression.h"
#include "expr/lexer.h"
#include "expr/type_names.h"

namespace tuner::expr {
namespace {

struct Slot {
  std::string name;
  Type type;
  std::optional<Cell> fixed = {};
};

// Lets a map of strings be searched by string_view.
struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const {
    return std::hash<std::string_view>{}(text);
  }
};

template <class T>
using TextMap = std::unordered_map<std::string, T, TextHash, std::equal_to<>>;

// Texts by id and ids by text. Any thread may call either.
class Interner {
 public:
  Interner() {
    for (const TypeName& type : kTypeNames) intern(type.name);
  }

  std::int64_t intern(std::string_view text) {
    {
      const std::shared_lock lock(mutex_);
      if (const auto found = ids_.find(text); found != ids_.end()) return found->second;
    }
    const std::unique_lock lock(mutex_);
    const auto [place, added] = ids_.try_emplace(std::string(text), texts_.size());
    if (added) texts_.push_back(place->first);
    return place->second;
  }

  std::string text(std::int64_t id) const {
    const std::shared_lock lock(mutex_);
    if (id < 0 || id >= static_cast<std::int64_t>(texts_.size())) {
      throw TunerError(fmt::format("text id {} is of another scope", id));
    }
    return texts_[static_cast<std::size_t>(id)];
  }

 private:
  mutable std::shared_mutex mutex_;
  TextMap<std::int64_t> ids_;
  std::vector<std::string> texts_;
};

[[noreturn]] void throw_mismatch(const Value& value, Type type) {
  throw TunerError(fmt::format("'{}' is {} where {} is needed", to_string(value),
                               to_string(type_of(value)), to_string(type)));
}

}  // namespace

struct Scope::Impl {
  std::vector<Slot> slots;
  TextMap<int> slot_of;
  TextMap<std::string> definitions;
  std::shared_ptr<Interner> interner = std::make_shared<Interner>();
};

Scope::Scope() : impl_(std::make_unique<Impl>()) {}
Scope::~Scope() = default;

std::unique_ptr<Scope> Scope::with_slots_of(const Scope& other) {
  auto scope = std::make_unique<Scope>();
  for (const Slot& slot : other.impl_->slots) scope->add(slot.name, slot.type);
  scope->impl_->interner = other.impl_->interner;
  return scope;
}

void Scope::check_free(std::string_view name) const {
  if (!is_identifier(name)) {
    throw TunerError(fmt::format(
        "'{}' cannot name a value: names are letters, digits and _, do not begin with a digit, and "
        "are none of and, or, not, true, false",
        name));
  }
  if (find(name) || definition(name) != nullptr) {
    throw TunerError(fmt::format("the name '{}' is taken", name));
  }
}

int Scope::add(std::string_view name, Type type) {
  check_free(name);
  const int slot = size();
  impl_->slot_of.emplace(name, slot);
  impl_->slots.push_back({std::string(name), type});
  return slot;
}

void Scope::fix(int slot, Cell value) {
  impl_->slots.at(static_cast<std::size_t>(slot)).fixed = value;
}

std::optional<Cell> Scope::fixed(int slot) const {
  return impl_->slots.at(static_cast<std::size_t>(slot)).fixed;
}

void Scope::define(std::string_view name, std::string_view text) {
  check_free(name);
  static_cast<void>(Expression::compile(text, *this));
  impl_->definitions.emplace(name, text);
}

const std::string* Scope::definition(std::string_view name) const {
  const auto found = impl_->definitions.find(name);
  return found == impl_->definitions.end() ? nullptr : &found->second;
}

std::vector<std::string> Scope::names() const {
  std::vector<std::string> names;
  for (const Slot& slot : impl_->slots) names.push_back(slot.name);
  for (const auto& [name, text] : impl_->definitions) names.push_back(name);
  return names;
}

std::optional<int> Scope::find(std::string_view name) const {
  const auto found = impl_->slot_of.find(name);
  return found == impl_->slot_of.end() ? std::nullopt : std::optional(found->second);
}

int Scope::size() const { return static_cast<int>(impl_->slots.size()); }

const std::string& Scope::name(int slot) const {
  return impl_->slots.at(static_cast<std::size_t>(slot)).name;
}

Type Scope::type(int slot) const { return impl_->slots.at(static_cast<std::size_t>(slot)).type; }

Cell Scope::encode(const Value& value, Type type) const {
  if (type == Type::real && type_of(value) == Type::integer) {
    return {.d = static_cast<double>(std::get<std::int64_t>(value))};
  }
  if (type_of(value) != type) throw_mismatch(value, type);
  switch (type) {
    case Type::integer:
      return {.i = std::get<std::int64_t>(value)};
    case Type::real:
      return {.d = std::get<double>(value)};
    case Type::boolean:
      return {.i = std::get<bool>(value) ? 1 : 0};
    case Type::text:
      break;
  }
  return {.i = impl_->interner->intern(std::get<std::string>(value))};
}

Value Scope::decode(Cell cell, Type type) const {
  switch (type) {
    case Type::integer:
      return cell.i;
    case Type::real:
      return cell.d;
    case Type::boolean:
      return cell.i != 0;
    case Type::text:
      break;
  }
  return impl_->interner->text(cell.i);
}

}  // namespace tuner::expr
