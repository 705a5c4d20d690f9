import { readPeopleCounters } from "../../../shared/identity/store/peopleCounters.ts";
import { countSignedInSince } from "../../../shared/identity/store/users.ts";
import { nowSeconds } from "../../../shared/store/ids.ts";

const activeSeconds = 30 * 24 * 3600;

/** Users by identity type; active is who signed in within 30 days. */
export async function countUsers() {
  const [counters, active] = await Promise.all([
    readPeopleCounters(),
    countSignedInSince(nowSeconds() - activeSeconds),
  ]);
  return {
    user_info: Object.entries(counters.usersByType).map(([identity_type, count]) => ({ identity_type, count })),
    active_user: active,
    total_user: counters.users,
  };
}
