import * as z from "zod";
import { type ChargedPart, chargedParts } from "../reports/costs/rules/costBreakdown.ts";

export const currency = z.string().meta({ description: "Three letters, that of the prices in the settings" });

const money = z.number().meta({ description: "In the currency, to six places" });
const part = z.object({ amount: z.number(), cost: money });
const parts = Object.fromEntries(chargedParts.map((name) => [name, part])) as Record<ChargedPart, typeof part>;

/** What something costs, as `charged` tells it. */
export const chargedFields = { total: money, parts: z.object(parts).meta({ id: "CostParts" }) };
