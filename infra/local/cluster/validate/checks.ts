import type { StatusCause } from "../api/errors.ts";

/** Collects what is wrong with an object; every problem is reported at once. */
export type Problems = StatusCause[];

export function required(problems: Problems, field: string, detail = ""): void {
  problems.push({
    reason: "FieldValueRequired",
    message: detail ? `Required value: ${detail}` : "Required value",
    field,
  });
}

export function invalidValue(problems: Problems, field: string, value: unknown, detail: string): void {
  problems.push({ reason: "FieldValueInvalid", message: `Invalid value: ${show(value)}: ${detail}`, field });
}

export function duplicate(problems: Problems, field: string, value: unknown): void {
  problems.push({ reason: "FieldValueDuplicate", message: `Duplicate value: ${show(value)}`, field });
}

export function unsupported(problems: Problems, field: string, value: unknown, allowed: string[]): void {
  const list = [...allowed]
    .sort()
    .map((item) => JSON.stringify(item))
    .join(", ");
  problems.push({
    reason: "FieldValueNotSupported",
    message: `Unsupported value: ${show(value)}: supported values: ${list}`,
    field,
  });
}

export function notFoundValue(problems: Problems, field: string, value: unknown): void {
  problems.push({ reason: "FieldValueNotFound", message: `Not found: ${show(value)}`, field });
}

export function forbiddenField(problems: Problems, field: string, detail: string): void {
  problems.push({ reason: "FieldValueForbidden", message: `Forbidden: ${detail}`, field });
}

function show(value: unknown): string {
  return JSON.stringify(value) ?? "null";
}

const labelText =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const subdomainText =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const serviceText =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";

export type NameForm = "label" | "subdomain" | "service" | "path";

/** What is wrong with a name of that form; empty when nothing is. */
export function nameProblems(value: string, form: NameForm): string[] {
  if (form === "path") {
    if (value === "." || value === "..") return [`may not be '${value}'`];
    return ["/", "%"].filter((mark) => value.includes(mark)).map((mark) => `may not contain '${mark}'`);
  }
  const limit = form === "subdomain" ? 253 : 63;
  const result: string[] = [];
  if (value.length > limit) result.push(`must be no more than ${limit} bytes`);
  if (form === "label" && !/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(value)) result.push(labelText);
  if (form === "service" && !/^[a-z]([-a-z0-9]*[a-z0-9])?$/.test(value)) result.push(serviceText);
  if (form === "subdomain" && !/^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/.test(value)) {
    result.push(subdomainText);
  }
  return result;
}

const qualifiedText =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const valueText =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

/** What is wrong with the key of a label or annotation. */
export function keyProblems(key: string): string[] {
  const slash = key.indexOf("/");
  const name = slash < 0 ? key : key.slice(slash + 1);
  const result: string[] = [];
  if (slash >= 0) result.push(...nameProblems(key.slice(0, slash), "subdomain").map((text) => `prefix part ${text}`));
  if (name === "") result.push("name part must be non-empty");
  if (name.length > 63) result.push("name part must be no more than 63 bytes");
  if (!/^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/.test(name)) result.push(qualifiedText);
  return result;
}

export function labelProblems(problems: Problems, field: string, labels: Record<string, unknown>): void {
  for (const [key, value] of Object.entries(labels)) {
    for (const text of keyProblems(key)) invalidValue(problems, field, key, text);
    const text = String(value);
    if (text.length > 63) invalidValue(problems, field, text, "must be no more than 63 bytes");
    if (!/^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/.test(text)) invalidValue(problems, field, text, valueText);
  }
}
