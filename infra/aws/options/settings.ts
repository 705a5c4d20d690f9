import * as z from "zod";
import { operatorSettings } from "../../../shared/base/settings/operatorSettings.ts";
import { settingProblems } from "../../../shared/base/settings/settingProblems.ts";

/** What a deployment may set: what the functions read, under the same names and rules as on one machine. */
const settings = z.strictObject({
  ...operatorSettings.shape,
  /** The secret is in Secrets Manager, so that it is neither in the template nor in a function's settings. */
  SLIPWAY_OIDC_CLIENT_SECRET_NAME: z
    .string()
    .regex(/^[\w/+=.@-]{1,512}$/, "must be the name of a secret in Secrets Manager")
    .optional(),
});

/** A function has 4 KB for all of its variables, and the ARNs that the stack gives it take up to half of them. */
const maxCharacters = 2_000;

const texts = z.record(
  z.string(),
  z.union([z.string(), z.number(), z.boolean()], "must be a text, a number, true or false").transform(String),
  "must be an object of settings",
);

export interface Settings {
  /** As they were given, by name. */
  given: Readonly<Record<string, string>>;
  /** With the defaults of what was not given, by name; what is unset is left out. */
  effective: Readonly<Record<string, string | number | boolean | undefined>>;
}

/**
 * Settings of a deployment, as `cdk.json` or `-c settings='{…}'` gives them.
 * @throws Error that names every setting with a wrong value
 */
export function readSettings(context: unknown): Settings {
  const read = texts.safeParse(context ?? {});
  if (!read.success) throw refusal(read.error.issues.map(problem));
  const parsed = settings.safeParse(read.data);
  if (!parsed.success) throw refusal(parsed.error.issues.flatMap(problems));
  const wrong = settingProblems(parsed.data);
  if (wrong.length > 0) throw refusal(wrong);
  const characters = Object.entries(read.data).flat().join("").length;
  if (characters > maxCharacters)
    throw refusal([`they are ${characters} characters long; a function holds ${maxCharacters} of them`]);
  return { given: read.data, effective: parsed.data };
}

function problems(issue: z.core.$ZodIssue): string[] {
  if (issue.code !== "unrecognized_keys") return [problem(issue)];
  return issue.keys.map((name) =>
    name === "SLIPWAY_OIDC_CLIENT_SECRET"
      ? `${name} would be readable in the template: store it in Secrets Manager and set ${name}_NAME to the secret's name`
      : `${name} is not a setting of a deployment; there are ${Object.keys(settings.shape).join(", ")}`,
  );
}

function problem({ path, message }: z.core.$ZodIssue): string {
  return [path.join("."), message].filter((text) => text !== "").join(" ");
}

function refusal(wrong: readonly string[]): Error {
  return new Error(`the settings of this deployment (context "settings") cannot be used: ${wrong.join("; ")}`);
}
