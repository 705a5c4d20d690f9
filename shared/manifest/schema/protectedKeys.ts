import type { SpanIndex } from "../edit/spanIndex.ts";
import type { AliasNode, MapNode, YamlNode } from "../edit/yamlTree.ts";

/** The keys that decide what an object is and where it lives; decisions 5.9. */
const PROTECTED = new Set(["apiVersion", "kind", "namespace"]);
const MERGE = "<<";

/** A protected key; `isRoot` when it is a key of the document itself. */
export interface ProtectedKey {
  node: YamlNode;
  isRoot: boolean;
}

/** What variables bring that they may not. */
export interface Brought {
  variables: string[];
  what: string;
}

/** Finds the protected keys of a document, and those that inserted spans bring. */
export function protectedKeys(tree: YamlNode, spans: SpanIndex): { keys: ProtectedKey[]; brought: Brought[] } {
  const search = new Search(spans);
  search.visit(tree, true);
  return search;
}

class Search {
  readonly keys: ProtectedKey[] = [];
  readonly brought: Brought[] = [];
  readonly #spans: SpanIndex;
  /** Whether a node contains a protected key, aliases followed. */
  readonly #holding = new Map<YamlNode, boolean>();

  constructor(spans: SpanIndex) {
    this.#spans = spans;
  }

  visit(node: YamlNode, isRoot: boolean): boolean {
    let holds = false;
    if (node.kind === "list") for (const item of node.items) holds = this.visit(item, false) || holds;
    else if (node.kind === "map") for (const entry of node.entries) holds = this.#entry(entry, isRoot) || holds;
    else if (node.kind === "alias") holds = this.#alias(node);
    this.#holding.set(node, holds);
    return holds;
  }

  #entry({ key, value }: MapNode["entries"][number], isRoot: boolean): boolean {
    const keyHolds = this.visit(key, false);
    const valueHolds = this.visit(value, false);
    const scalar = key.kind === "alias" ? key.target : key;
    if (scalar?.kind !== "scalar") return keyHolds || valueHolds;
    const variables = [...new Set([...this.#touching(key), ...(key === scalar ? [] : this.#touching(scalar))])];
    if (scalar.text === MERGE && valueHolds)
      this.#bring(variables, "a merge of the keys apiVersion, kind or namespace");
    if (!PROTECTED.has(scalar.text)) return valueHolds;
    this.keys.push({ node: key, isRoot });
    this.#bring(variables, `the key ${scalar.text}`);
    return true;
  }

  #alias(node: AliasNode): boolean {
    const { target } = node;
    if (!target || !this.#holding.get(target)) return false;
    const anchor = target.anchor ? this.#spans.touching(target.anchor.start - 1, target.anchor.end) : [];
    this.#bring(
      [...new Set([...this.#touching(node), ...anchor])],
      "an alias of the keys apiVersion, kind or namespace",
    );
    return true;
  }

  #touching(node: YamlNode): string[] {
    return this.#spans.touching(node.start, node.end);
  }

  #bring(variables: string[], what: string): void {
    if (variables.length > 0) this.brought.push({ variables, what });
  }
}
