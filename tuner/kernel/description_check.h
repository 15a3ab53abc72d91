// Whether the parts of a description fit together: what one names, another must define.
#pragma once

#include "tuner/kernel/description.h"

namespace tuner {

// Throws TunerError naming the place: a name that is taken twice or defined nowhere (with the
// nearest one), or roles that exclude each other.
void check_references(const KernelDescription& kernel);

}  // namespace tuner
