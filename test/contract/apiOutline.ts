import { createHash } from "node:crypto";
import { createTwoFilesPatch } from "diff";
import type { OpenApi, Operation } from "./document.ts";

/** What a line says, by label: a text is written as it is, of everything else a digest. */
export type Parts = Readonly<Record<string, unknown>>;

const between = " | ";
const shownLines = 60;

/**
 * The parts of an OpenAPI document by the name of their line: the document's head, its operations with their permission
 * (a text by the operation's name), and the components that operations share.
 */
export function partsOf(document: OpenApi, permissions: ReadonlyMap<string, string>): Map<string, Parts> {
  const { paths, components, ...head } = document;
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): [string, Parts] => {
      const name = `${method.toUpperCase()} ${path}`;
      return [name, { permission: permissions.get(name), ...operationParts(operation) }];
    }),
  );
  const shared = Object.entries(components).flatMap(([kind, members]) =>
    Object.entries(members).map(([name, content]): [string, Parts] => [`components/${kind}/${name}`, { content }]),
  );
  return new Map([["document", { content: head }], ...operations, ...shared]);
}

/** An answer that only refers to the component of its status is named, not digested. */
function operationParts({ parameters, requestBody, responses, ...about }: Operation): Parts {
  const isShared = ([status, { $ref }]: [string, { $ref?: string }]) =>
    $ref === `#/components/responses/Error${status}`;
  const answers = Object.entries(responses);
  const own = answers.filter((answer) => !isShared(answer)).map(([status, answer]) => [`answer ${status}`, answer]);
  const errors = answers.filter(isShared).map(([status]) => status);
  return { errors: errors.join(" "), about, parameters, body: requestBody, ...Object.fromEntries(own) };
}

/** One line for each name, in their order; parts that are absent are left out. */
export function outline(parts: ReadonlyMap<string, Parts>): string {
  return [...parts].map(([name, those]) => `${[name, ...cells(those).values()].join(between)}\n`).join("");
}

function cells(parts: Parts): Map<string, string> {
  const present = Object.entries(parts).filter(([, value]) => value !== undefined);
  return new Map(present.map(([label, value]) => [label, cell(label, value)]));
}

function cell(label: string, value: unknown): string {
  if (typeof value === "string") return `${label} ${value}`;
  return `${label} ${createHash("sha256").update(JSON.stringify(value)).digest("hex").slice(0, 8)}`;
}

/**
 * In words for a person: which lines of the reviewed outline are not those of the parts, which part differs, and how: as
 * a difference when `reviewedParts` are what the reviewed line was made of, else as the part is now. Empty when all agree.
 */
export function explainChanges(
  reviewed: string,
  parts: ReadonlyMap<string, Parts>,
  reviewedParts: ReadonlyMap<string, Parts> = new Map(),
): string {
  const before = new Map(
    reviewed.split("\n").map((line) => [line.split(between)[0] ?? "", line.split(between).slice(1)]),
  );
  before.delete("");
  const gone = [...before.keys()].filter((name) => !parts.has(name)).map((name) => `${name}: is gone\n`);
  const changed = [...parts].flatMap(([name, those]) => {
    const old = before.get(name);
    if (old === undefined) return [`${name}: is new\n`];
    const now = cells(those);
    const dropped = old.filter((one) => ![...now.keys()].some((label) => one.startsWith(`${label} `)));
    const differing = [...now].filter(([, one]) => !old.includes(one)).map(([label]) => label);
    return [
      ...dropped.map((one) => `${name}: no longer has ${one}\n`),
      ...differing.map((label) => `${name}: ${label}\n${change(label, those, old, reviewedParts.get(name) ?? {})}\n`),
    ];
  });
  return [...gone, ...changed].join("");
}

function change(label: string, now: Parts, old: readonly string[], then: Parts): string {
  const isReviewed = then[label] !== undefined && old.includes(cell(label, then[label]));
  const text = (value: unknown) => `${typeof value === "string" ? value : JSON.stringify(value, null, 1)}\n`;
  const lines = isReviewed
    ? createTwoFilesPatch("reviewed", "now", text(then[label]), text(now[label])).trimEnd().split("\n").slice(1)
    : ["now:", ...text(now[label]).trimEnd().split("\n")];
  const rest = lines.length - shownLines;
  return [...lines.slice(0, shownLines), ...(rest > 0 ? [`… and ${rest} lines more`] : [])]
    .map((line) => `  ${line}`)
    .join("\n");
}
