// Occupancy as JSON fields and as text; shared by the commands that show it.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "models/occupancy.h"

namespace tuner {

// blocks_per_sm, warps_per_sm, max_warps_per_sm, occupancy, limits{}, limiters[], refusal.
nlohmann::ordered_json occupancy_json(const models::Occupancy& occupancy);

// "registers and warps"; "nothing" where the block cannot launch.
std::string limiters_in_words(const models::Occupancy& occupancy);

// The bar, the counts and the blocks that each resource allows, over several lines.
std::string occupancy_text(const models::Occupancy& occupancy, bool color);

}  // namespace tuner
