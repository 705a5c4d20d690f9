import * as z from "zod";
import { ManifestError } from "../../../shared/manifest/manifestError.ts";
import { readYaml, yamlValue } from "../../../shared/manifest/parseYaml.ts";

/** A label or taint key: an optional DNS prefix and a name. */
const keyForm = /^(?:[a-z0-9](?:[-a-z0-9.]{0,251}[a-z0-9])?\/)?[A-Za-z0-9](?:[-\w.]{0,61}[A-Za-z0-9])?$/;
const valueForm = /^(?:[A-Za-z0-9](?:[-\w.]{0,61}[A-Za-z0-9])?)?$/;

const toleration = z
  .strictObject({
    key: z.string("must be a text").regex(keyForm, "must be the key of a taint").or(z.literal("")).optional(),
    operator: z.enum(["Exists", "Equal"], "must be Exists or Equal").optional(),
    value: z.string("must be a text; put it in quotes").regex(valueForm, "must be the value of a taint").optional(),
    effect: z
      .enum(["", "NoSchedule", "PreferNoSchedule", "NoExecute"], "must be NoSchedule, PreferNoSchedule or NoExecute")
      .optional(),
    tolerationSeconds: z.int("must be a whole number").optional(),
  })
  .superRefine(({ key = "", operator, value = "", effect, tolerationSeconds }, context) => {
    const add = (field: string, message: string) => context.addIssue({ code: "custom", path: [field], message });
    if (key === "" && operator !== "Exists") add("operator", "must be Exists without a key");
    if (operator === "Exists" && value !== "") add("value", "does not belong to operator Exists");
    if (tolerationSeconds !== undefined && effect !== "NoExecute")
      add("tolerationSeconds", "belongs to effect NoExecute");
  });
const tolerations = z.array(toleration, "must be a list").max(20, "must have at most 20 entries");

/** Why a text is no YAML list of tolerations as pods have them; undefined when it is one, or empty. */
export function tolerationsProblem(text: string): string | undefined {
  try {
    const source = readYaml(text);
    if (source.tree === undefined) return undefined;
    const read = tolerations.safeParse(yamlValue(source));
    return read.success ? undefined : read.error.issues.map(described).join("; ");
  } catch (error) {
    if (error instanceof ManifestError) return `must be YAML: ${error.message}`;
    throw error;
  }
}

/** Why a text is no label of a node as `key=value` or `key:value`; undefined when it is one. */
export function nodeLabelProblem(text: string): string | undefined {
  const [, key = "", value = ""] = /^([^=:]*)[=:](.*)$/s.exec(text) ?? [];
  return keyForm.test(key) && valueForm.test(value) ? undefined : "must be <key>=<value> of a node's label";
}

function described({ path, message }: z.core.$ZodIssue): string {
  return path.length === 0 ? message : `${path.join(".")}: ${message}`;
}
