import { config } from "../../../shared/base/settings/config.ts";
import { nowSeconds } from "../../../shared/base/store/ids.ts";
import { type Day, dayOf, shifted } from "../../../shared/reports/statistics/rules/days.ts";

/** Days before today that are counted again. */
const daysBack = 2;

/** Yesterday and the day before. */
export function countedDays(): Day[] {
  const today = dayOf(nowSeconds(), config().SLIPWAY_TIME_ZONE);
  return Array.from({ length: daysBack }, (_, back) => shifted(today, -back - 1));
}
