import { badRequest } from "../api/errors.ts";
import type { LabelSelector } from "../model/object.ts";

export type Labels = Record<string, string> | undefined;
export type LabelTest = (labels: Labels) => boolean;

interface Requirement {
  key: string;
  operator: "=" | "!=" | "in" | "notin" | "exists" | "!" | ">" | "<";
  values: string[];
}

const name = /^(([A-Za-z0-9]([-A-Za-z0-9.]*[A-Za-z0-9])?)\/)?[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/;
const value = /^([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?$/;

/** The test of a `labelSelector` query: `a=b,c!=d,e in (x,y),f notin (z),g,!h,i>1`. Throws 400 when it cannot be read. */
export function parseLabelSelector(text: string): LabelTest {
  const requirements = split(text).map(parseRequirement);
  return (labels) => requirements.every((requirement) => satisfies(labels, requirement));
}

/** Cuts at commas that are not inside parentheses. */
function split(text: string): string[] {
  if (text.trim() === "") return [];
  return text.split(/,(?![^(]*\))/).map((part) => part.trim());
}

function parseRequirement(text: string): Requirement {
  const set = /^(\S+)\s+(in|notin)\s*\(([^()]*)\)$/.exec(text);
  if (set?.[1]) {
    const operator = set[2] === "in" ? "in" : "notin";
    const values = (set[3] ?? "").split(",").map((item) => item.trim());
    return check({ key: set[1], operator, values }, text);
  }
  if (text.startsWith("!")) return check({ key: text.slice(1).trim(), operator: "!", values: [] }, text);
  const pair = /^([^=!<>\s]+)\s*(==|=|!=|>|<)\s*(.*)$/.exec(text);
  if (!pair?.[1]) return check({ key: text, operator: "exists", values: [] }, text);
  const operator = pair[2] === "==" ? "=" : pair[2];
  if (operator !== "=" && operator !== "!=" && operator !== ">" && operator !== "<") throw unreadable(text);
  return check({ key: pair[1], operator, values: [pair[3] ?? ""] }, text);
}

function check(requirement: Requirement, text: string): Requirement {
  const numeric = requirement.operator === ">" || requirement.operator === "<";
  if (!name.test(requirement.key)) throw unreadable(text);
  if (!requirement.values.every((item) => (numeric ? /^-?\d+$/ : value).test(item) && item.length <= 63)) {
    throw unreadable(text);
  }
  return requirement;
}

function unreadable(text: string) {
  return badRequest(`unable to parse requirement: ${text}`);
}

function satisfies(labels: Labels, { key, operator, values }: Requirement): boolean {
  const found = labels?.[key];
  switch (operator) {
    case "=":
    case "in":
      return found !== undefined && values.includes(found);
    case "!=":
    case "notin":
      return found === undefined || !values.includes(found);
    case "exists":
      return found !== undefined;
    case "!":
      return found === undefined;
    case ">":
      return found !== undefined && Number(found) > Number(values[0]);
    case "<":
      return found !== undefined && Number(found) < Number(values[0]);
  }
}

/** Whether labels satisfy the selector of an object; an empty selector matches everything, an absent one nothing. */
export function matchesSelector(selector: LabelSelector | undefined, labels: Labels): boolean {
  if (!selector) return false;
  for (const [key, expected] of Object.entries(selector.matchLabels ?? {}))
    if (labels?.[key] !== expected) return false;
  return (selector.matchExpressions ?? []).every(({ key, operator, values = [] }) => {
    const found = labels?.[key];
    if (operator === "In") return found !== undefined && values.includes(found);
    if (operator === "NotIn") return found === undefined || !values.includes(found);
    return operator === "Exists" ? found !== undefined : found === undefined;
  });
}

/** A selector in the text form of the query, as `scale` reports it. */
export function printSelector(selector: LabelSelector | undefined): string {
  const labels = Object.entries(selector?.matchLabels ?? {}).map(([key, expected]) => `${key}=${expected}`);
  const expressions = (selector?.matchExpressions ?? []).map(({ key, operator, values = [] }) => {
    if (operator === "Exists") return key;
    if (operator === "DoesNotExist") return `!${key}`;
    return `${key} ${operator.toLowerCase()} (${[...values].sort().join(",")})`;
  });
  return [...labels, ...expressions].sort().join(",");
}
