import { config } from "../../../shared/settings/config.ts";
import { type Day, dayOf, shifted } from "../../../shared/statistics/rules/days.ts";
import { nowSeconds } from "../../../shared/store/ids.ts";

/** Days before today that are counted again. */
const daysBack = 2;

/** Yesterday and the day before. */
export function countedDays(): Day[] {
  const today = dayOf(nowSeconds(), config().SLIPWAY_TIME_ZONE);
  return Array.from({ length: daysBack }, (_, back) => shifted(today, -back - 1));
}
