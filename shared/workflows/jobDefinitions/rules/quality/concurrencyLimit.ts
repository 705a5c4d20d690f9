import * as z from "zod";

const atMostAtOnce = 1000;

/** How many tasks of a test or a scan may run at once; -1 and 0: any number (contract W 8.4). */
export const concurrencyLimit = z
  .int("must be a whole number")
  .min(-1, "must be -1 for no limit, or the number of tasks that may run at once")
  .max(atMostAtOnce, `must be at most ${atMostAtOnce}`)
  .default(-1);
