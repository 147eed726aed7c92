// SPDX-License-Identifier: Apache-2.0
// A borrowed callable: two words, no allocation, for callbacks that do not outlive the call.
#pragma once

#include <memory>
#include <type_traits>
#include <utility>

namespace raicho::agent {

template <class Signature>
class FunctionRef;

/// Refers to a callable of the caller; valid until the call that took it returns.
template <class R, class... Args>
class FunctionRef<R(Args...)> {
  public:
    template <class F>
        requires(!std::is_same_v<std::remove_cvref_t<F>, FunctionRef> &&
                 std::is_invocable_r_v<R, F&, Args...>)
    FunctionRef(F&& callable)  // NOLINT: implicit on purpose, as a parameter type
        : object_(std::addressof(callable)), call_([](const void* object, Args... args) -> R {
              using Callable = std::remove_reference_t<F>;
              auto* function = static_cast<Callable*>(const_cast<void*>(object));
              return (*function)(std::forward<Args>(args)...);
          }) {}

    R operator()(Args... args) const { return call_(object_, std::forward<Args>(args)...); }

  private:
    const void* object_;
    R (*call_)(const void*, Args...);
};

}  // namespace raicho::agent
