import * as z from "zod";
import {
  type ImagePattern,
  type ImagePatterns,
  presetPatterns,
} from "../../../shared/packaging/helm/rules/imagePatterns.ts";

const shown = z
  .object({
    repo: z.string(),
    namespace: z.string(),
    image: z.string(),
    tag: z.string(),
    inUse: z.boolean(),
    presetId: z.int(),
  })
  .meta({ id: "SearchingRule" });

export const searchingRules = z.array(shown);

const key = /^(?:[\w-]+(?:\.[\w-]+){0,9})?$/;
const path = (field: string) =>
  z
    .string(`${field} must be a text`)
    .max(256, "must have at most 256 characters")
    .regex(
      key,
      "must be keys of the values with dots between them, such as image.tag; at most 10, of letters, digits, _ and -",
    )
    .default("");

const newRule = z
  .object({
    repo: path("repo"),
    namespace: path("namespace"),
    image: path("image"),
    tag: path("tag"),
    inUse: z.boolean("inUse must be true or false").default(true),
    presetId: z.int("presetId must be a whole number").default(0),
  })
  .superRefine((rule, context) => {
    const issue = (path: string, message: string) => context.addIssue({ code: "custom", path: [path], message });
    const preset = presetPatterns().find(({ preset: number }) => number === rule.presetId);
    if (rule.presetId !== 0 && preset === undefined)
      issue(
        "presetId",
        `must be 0, for a rule of your own, or one of ${presetPatterns()
          .map((one) => one.preset)
          .join(", ")}`,
      );
    else if (preset !== undefined && placeOf(toPattern(rule)) !== placeOf(preset))
      issue(
        "presetId",
        `rule ${rule.presetId} is a given one: switch it off by inUse and add one of your own with presetId 0`,
      );
    else if (rule.image === "") issue("image", "is required: where the repository stands, such as image.repository");
  });

/** Rules that are left out go; given ones that are left out stay in use. */
export const newSearchingRules = z.object({
  rules: z
    .array(newRule, "rules must be a list")
    .max(20, "must have at most 20 entries")
    .superRefine((rules, context) => {
      const places = rules.map((rule) => placeOf(toPattern(rule)));
      places.forEach((place, index) => {
        if (places.indexOf(place) < index)
          context.addIssue({ code: "custom", path: [index], message: "is the same as one before it" });
      });
    }),
});

type Rule = z.output<typeof newRule>;

const toPattern = ({ repo, namespace, image, tag }: Omit<Rule, "inUse" | "presetId">): ImagePattern => ({
  ...{ registry: repo, namespace, image, tag },
});

const placeOf = ({ registry, namespace, image, tag }: ImagePattern): string =>
  [registry, namespace, image, tag].join(" ");

export function toPatterns(rules: readonly Rule[]): ImagePatterns {
  return {
    own: rules.filter(({ presetId }) => presetId === 0).map((rule) => ({ ...toPattern(rule), inUse: rule.inUse })),
    presetsOff: rules.filter(({ presetId, inUse }) => presetId !== 0 && !inUse).map(({ presetId }) => presetId),
  };
}

/** The given ones, then the project's own. */
export function shownRules({ own, presetsOff }: ImagePatterns): z.input<typeof searchingRules> {
  const wire = ({ registry, namespace, image, tag }: ImagePattern) => ({ repo: registry, namespace, image, tag });
  return [
    ...presetPatterns().map((one) => ({
      ...wire(one),
      inUse: !presetsOff.includes(one.preset),
      presetId: one.preset,
    })),
    ...own.map((one) => ({ ...wire(one), inUse: one.inUse, presetId: 0 })),
  ];
}
