import * as z from "zod";
import type { JobKind } from "../../definition/jobKind.ts";
import { filledText, flag, listOf, text } from "../../definition/wireFields.ts";

const whole = "must be a whole number of per cent, from 0 to 100";
const strategies = ["weight", "header_match"] as const;
const longestValue = 1024;

const headerMatch = z
  .looseObject({
    key: filledText.regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}$/, "must be the name of a header"),
    match: z.enum(["exact", "prefix", "regex"], "must be exact, prefix or regex"),
    value: filledText.max(longestValue, `must have at most ${longestValue} characters`),
  })
  .superRefine(({ key, match, value }, { addIssue }) => {
    if (key.toLowerCase() === "x-env")
      addIssue({
        code: "custom",
        path: ["key"],
        message: "x-env chooses an environment by itself, before all matches",
      });
    if (match === "regex" && !isExpression(value))
      addIssue({ code: "custom", path: ["value"], message: "must be a regular expression of RE2" });
  });

/** Where calls go in a base and its sub-environments (contract W 5, decisions 12.4). */
export const kind = {
  type: "update-env-istio-config",
  changesEnvironment: true,
  words: ["Update Istio Routes", "更新 Istio 配置"],
  schema: z
    .looseObject({
      production: flag,
      base_env: filledText,
      source: text,
      grayscale_strategy: z.enum(strategies, `must be ${strategies.join(" or ")}`),
      weight_configs: listOf(z.looseObject({ env: filledText, weight: z.int(whole).min(0, whole).max(100, whole) })),
      header_match_configs: listOf(
        z.looseObject({
          env: filledText,
          header_match: listOf(headerMatch).refine((list) => list.length > 0, "needs at least one header"),
        }),
      ),
    })
    .superRefine(({ grayscale_strategy, weight_configs, header_match_configs }, { addIssue }) => {
      const problem = (path: (string | number)[], message: string) => addIssue({ code: "custom", path, message });
      if (grayscale_strategy === "weight") {
        const total = weight_configs.reduce((sum, { weight }) => sum + weight, 0);
        if (total !== 100) problem(["weight_configs"], `must come to 100 per cent, not ${total}`);
        for (const [at, { env }] of weight_configs.entries())
          if (weight_configs.findIndex((one) => one.env === env) < at)
            problem(["weight_configs", at, "env"], `${env} is named twice`);
      } else if (header_match_configs.length === 0) problem(["header_match_configs"], "cannot be empty");
    }),
  previews: true,
} as const satisfies JobKind;

/** RE2 has neither looks around nor references back; Istio would hand proxies what they refuse. */
function isExpression(text: string): boolean {
  if (/\(\?(?:[=!]|<[=!])|\\[1-9]|\\k</.test(text)) return false;
  try {
    return new RegExp(text, "u").source !== "";
  } catch {
    return false;
  }
}
