import { constructFromEvents, dump, EVENT_ID, type Event, parseEvents, YAMLException } from "js-yaml";
import { type YamlNode, yamlTrees } from "./edit/yamlTree.ts";
import { type ManifestLimits, RENDERED_LIMITS } from "./limits.ts";
import { ManifestError, type ManifestPlace } from "./manifestError.ts";
import { EXACT_DUMP_SCHEMA, integerProblem, isSpecialFloat, KUBERNETES_SCHEMA } from "./schema/kubernetesSchema.ts";

/** A document as read: its tree with places in the text, and the events its value is made from. */
export interface YamlSource {
  text: string;
  /** Undefined when the text holds nothing but blanks and comments. */
  tree: YamlNode | undefined;
  events: Event[];
  /** Where the text is among others, for messages. */
  place: ManifestPlace;
}

/**
 * Reads the structure of one YAML document. Throws a ManifestError with the line for wrong syntax, for a second
 * document, and beyond the limits for depth, aliases and nodes (aliases expanded, so an alias bomb ends here).
 */
export function readYaml(
  text: string,
  place: ManifestPlace = {},
  limits: ManifestLimits = RENDERED_LIMITS,
): YamlSource {
  const events = guarded(place, () => parseEvents(text, { maxDepth: limits.maxDepth + 1 }));
  const [tree, second] = yamlTrees(text, events);
  const source = { text, tree, events, place };
  if (second)
    throw yamlError(source, second.start, "syntax", "another document begins; separate documents by a line ---");
  if (tree) new Measure(source, limits).node(tree, 1);
  return source;
}

/**
 * Makes the value of a document; nothing in it is shared. Throws a ManifestError, for example for a key given twice,
 * unless the last one is to win.
 */
export function yamlValue({ text, events, place }: YamlSource, options: { lastKeyWins?: boolean } = {}): unknown {
  const given = { source: text, schema: KUBERNETES_SCHEMA, json: options.lastKeyWins ?? false };
  const [value] = guarded(place, () => constructFromEvents(events, given));
  return events.some((event) => event.type === EVENT_ID.ALIAS) ? unshared(value) : value;
}

/**
 * Writes a value as YAML that reads the same in YAML 1.1 and 1.2, integers of 64 bits digit by digit; with sorted keys, equal
 * values are equal texts.
 */
export function dumpYaml(value: unknown, { sortKeys = false } = {}): string {
  return dump(value, { noRefs: true, lineWidth: -1, sortKeys, schema: EXACT_DUMP_SCHEMA });
}

function guarded<T>(place: ManifestPlace, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error;
    const isLimit = error.reason.startsWith("nesting exceeded") || error.reason.startsWith("merge keys exceeded");
    const line = (place.line ?? 1) + (error.mark?.line ?? 0);
    const snippet = error.mark?.buffer.split("\n")[error.mark.line] ?? "";
    const hint = /^\s*\t/.test(snippet) ? "; the line begins with a tab, YAML is indented with spaces" : "";
    throw new ManifestError(isLimit ? "limit" : "syntax", `${error.reason}${hint}`, { ...place, line });
  }
}

/** A ManifestError at an offset of the document. */
export function yamlError(
  { text, place }: Pick<YamlSource, "text" | "place">,
  offset: number,
  reason: "syntax" | "object" | "limit",
  problem: string,
): ManifestError {
  let line = place.line ?? 1;
  for (let at = text.indexOf("\n"); at >= 0 && at < offset; at = text.indexOf("\n", at + 1)) line++;
  return new ManifestError(reason, problem, { ...place, line });
}

/** Of a part of a document: its values with aliases expanded, those that aliases added, and its depth. */
interface Size {
  nodes: number;
  added: number;
  height: number;
}

const scalarSize: Size = { nodes: 1, added: 0, height: 0 };

/** Counts depth, aliases and nodes, and refuses what has no exact JSON form. */
class Measure {
  readonly #source: YamlSource;
  readonly #limits: ManifestLimits;
  #aliases = 0;
  readonly #known = new Map<YamlNode, Size>();

  constructor(source: YamlSource, limits: ManifestLimits) {
    this.#source = source;
    this.#limits = limits;
  }

  #fail(node: YamlNode, reason: "syntax" | "limit", problem: string): never {
    throw yamlError(this.#source, node.start, reason, problem);
  }

  node(node: YamlNode, depth: number): Size {
    const size = this.#sizeOf(node, depth);
    const { maxNodes, maxAliasNodes } = this.#limits;
    if (size.added > maxAliasNodes)
      this.#fail(node, "limit", `the aliases of the document add more than ${maxAliasNodes} values`);
    if (size.nodes > maxNodes) this.#fail(node, "limit", `the document holds more than ${maxNodes} values`);
    if (depth - 1 + size.height > this.#limits.maxDepth) {
      this.#fail(node, "limit", `nesting is deeper than ${this.#limits.maxDepth} levels`);
    }
    this.#known.set(node, size);
    return size;
  }

  #sizeOf(node: YamlNode, depth: number): Size {
    if (node.kind === "scalar") return this.#scalar(node);
    if (node.kind === "alias") return this.#alias(node);
    const children = node.kind === "list" ? node.items : node.entries.map(({ value }) => value);
    if (node.kind === "map") for (const { key } of node.entries) this.#key(key, depth);
    let nodes = 1;
    let added = 0;
    let height = 0;
    for (const child of children) {
      const size = this.node(child, depth + 1);
      nodes += size.nodes;
      added += size.added;
      height = Math.max(height, size.height);
    }
    return { nodes, added, height: height + 1 };
  }

  #scalar(node: Extract<YamlNode, { kind: "scalar" }>): Size {
    if (node.isPlain && !node.tagged) {
      const problem = node.text.length > 12 ? integerProblem(node.text, this.#limits.integers) : undefined;
      if (problem !== undefined)
        this.#fail(node, "syntax", `the number ${node.text} cannot be kept exactly (${problem}); put it in quotes`);
      if (isSpecialFloat(node.text)) this.#fail(node, "syntax", `${node.text} is not a JSON number; put it in quotes`);
    }
    return scalarSize;
  }

  #alias(node: Extract<YamlNode, { kind: "alias" }>): Size {
    if (++this.#aliases > this.#limits.maxAliases) {
      this.#fail(node, "limit", `the document has more than ${this.#limits.maxAliases} aliases`);
    }
    const size = node.target && this.#known.get(node.target);
    if (size) return { ...size, added: size.nodes };
    const name = this.#source.text.slice(node.start + 1, node.end);
    return this.#fail(node, "syntax", `the alias *${name} has no anchor before it, or is a part of what it stands for`);
  }

  #key(key: YamlNode, depth: number): void {
    this.node(key, depth + 1);
    const scalar = key.kind === "alias" ? key.target : key;
    if (scalar?.kind !== "scalar") this.#fail(key, "syntax", "a key must be text");
    if (scalar.isPlain && !scalar.tagged && /^(?:|~|null|Null|NULL)$/.test(scalar.text)) {
      this.#fail(key, "syntax", "a key must not be empty or null");
    }
  }
}

function unshared(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(unshared);
  if (typeof value !== "object" || value === null) return value;
  const copy: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(value)) {
    Object.defineProperty(copy, key, { value: unshared(item), enumerable: true, configurable: true, writable: true });
  }
  return copy;
}
