import { replaceVariables, variablesIn } from "../../../base/common/placeholders.ts";
import { ApiError } from "../../../base/errors/apiError.ts";
import { isRecord } from "../../../manifest/schema/kubeObject.ts";
import { mapTexts } from "../../records/rules/variables.ts";

/** What set a workflow going, as its jobs may use it (contract W 6). */
export interface Payload {
  /** `{{.payload.trigger.<name>}}` */
  trigger: Readonly<Record<string, string>>;
  /** `{{.payload.<path>}}` */
  body: unknown;
}

const root = "payload.";
const longestValue = 65_536;

/**
 * Puts the payload into every text of a value; what it does not hold becomes an empty text. What comes from outside brings
 * no variables of its own: those could name credentials of the workflow.
 * @throws ApiError 6160 for a value that is too long
 */
export function withPayload<T>(value: T, payload: Payload): T {
  return mapTexts(value, (text) =>
    replaceVariables(text, (path, written) =>
      path.startsWith(root) ? saidFor(path.slice(root.length), payload) : written,
    ),
  );
}

/**
 * What the payload has for the variables that are in texts of a value, by path with `payload.` in front.
 * @throws ApiError 6160 for a value that is too long
 */
export function payloadTexts(value: unknown, payload: Payload): Record<string, string> {
  const found = new Map<string, string>();
  mapTexts(value, (text) => {
    for (const { path } of variablesIn(text))
      if (path.startsWith(root)) found.set(path, saidFor(path.slice(root.length), payload));
    return text;
  });
  return Object.fromEntries(found);
}

function saidFor(path: string, { trigger, body }: Payload): string {
  const [first, ...rest] = path.split(".");
  const found = first === "trigger" ? trigger[rest.join(".")] : valueAt(body, path.split("."));
  const written = textOf(found);
  if (written.length > longestValue)
    throw new ApiError(6160, `payload.${path} is longer than ${longestValue} characters; use a part of it`);
  return written.replaceAll("{{", "{ {");
}

function valueAt(value: unknown, [name, ...rest]: readonly string[]): unknown {
  if (name === undefined) return value;
  if (Array.isArray(value)) return /^\d{1,6}$/.test(name) ? valueAt(value[Number(name)], rest) : undefined;
  return isRecord(value) && Object.hasOwn(value, name) ? valueAt(value[name], rest) : undefined;
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
