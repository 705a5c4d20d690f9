import { isSensitive } from "../../base/common/sensitiveKey.ts";
import { maskedValue } from "./script/keyVal.ts";

type Tree = Readonly<Record<string, unknown>>;

/** A credential inside a definition. */
export interface Credential {
  /**
   * Its place, by the names of the objects around it and not by positions, so that it is found after lists were
   * reordered; with the address that it is sent to, so that a stored one never goes to another address.
   */
  location: string;
  /** A text, or a number that was left unquoted. */
  value: string | number;
  /** Of a repository: its key is shown, and empty (contract W 1.5). */
  isOfRepository: boolean;
  /** Of a patch of a Secret: YAML, or a part of it, which is read before its variables are filled. */
  isOfPatch: boolean;
}

/** Fields of something with `is_credential` that hold the secret. */
const valueFields = ["value", "default", "choice_value"];
const names = ["name", "key", "id"];
/** A stored secret is tied to what it is presented to. */
const addresses = ["address", "hook_address", "url", "host", "codehost_id", "repo_owner", "repo_name", "username"];

/**
 * The definition with each of its credentials replaced by the result of `change`: values of parameters and variables
 * with `is_credential`, credentials of repositories, what a patch writes into a Secret (decisions 17.5), and every
 * value under a key that names a secret (contract I 9.5), at any depth and in jobs of every type.
 */
export function mapCredentials(definition: Tree, change: (credential: Credential) => unknown): Tree {
  return new Walk(change).object(definition, { path: [], hidden: undefined, inPatch: false });
}

/** What callers are shown: `********`, and nothing for credentials of repositories. */
export function showCredentials(masked: Tree): Tree {
  return mapCredentials(masked, ({ isOfRepository }) => (isOfRepository ? "" : maskedValue));
}

interface Hidden {
  by: string;
  of: Tree;
  takesNumbers: boolean;
  isOfPatch: boolean;
}

/** Where the walk is; `inPatch`: in what a patch says of a Secret. */
interface Place {
  path: readonly string[];
  hidden: Hidden | undefined;
  inPatch: boolean;
}

class Walk {
  readonly #change: (credential: Credential) => unknown;
  readonly #seen = new Map<string, number>();

  constructor(change: (credential: Credential) => unknown) {
    this.#change = change;
  }

  object(object: Tree, { path, hidden, inPatch: within }: Place): Tree {
    const inPatch = within || object.resource_kind === "Secret";
    const entries = Object.entries(object).map(([key, value]) => {
      const place = { path: [...path, key], hidden: hidden ?? hiding(key, object, inPatch), inPatch };
      return [key, this.value(value, place)] as const;
    });
    return Object.fromEntries(entries);
  }

  value(value: unknown, place: Place): unknown {
    const { path, hidden } = place;
    if (Array.isArray(value)) return value.map((item) => this.value(item, { ...place, path: [...path, nameOf(item)] }));
    if (typeof value === "object" && value !== null) return this.object(value as Tree, place);
    if (hidden === undefined) return value;
    const isSecret = typeof value === "string" || (typeof value === "number" && hidden.takesNumbers);
    return isSecret ? this.credential(value, path, hidden) : value;
  }

  credential(value: string | number, path: readonly string[], { by, of, isOfPatch }: Hidden): unknown {
    const isOfRepository = isRepository(of) && !valueFields.includes(by);
    if (value === "" && !isOfRepository) return value;
    // A stored patch never goes to another Secret.
    const where = by === patchField ? [...path, ownText(of, "resource_name")] : path;
    const place = JSON.stringify([where, addresses.map((field) => ownText(of, field))]);
    const seen = this.#seen.get(place) ?? 0;
    this.#seen.set(place, seen + 1);
    return this.#change({ location: `${place}#${seen}`, value, isOfRepository, isOfPatch });
  }
}

const patchField = "patch_content";

function hiding(key: string, object: Tree, inPatch: boolean): Hidden | undefined {
  const isMarked = object.is_credential === true || object.is_sensitive === true;
  const isOfPatch = inPatch && !isMarked;
  const hides = ((isMarked || inPatch) && valueFields.includes(key)) || (inPatch && key === patchField);
  if (hides) return { by: key, of: object, takesNumbers: true, isOfPatch };
  return isSensitive(key) ? { by: key, of: object, takesNumbers: false, isOfPatch: false } : undefined;
}

function isRepository(object: Tree): boolean {
  return Object.hasOwn(object, "codehost_id") || Object.hasOwn(object, "repo_name");
}

/** An item of a list by its name where it has one; without, items of one list are told apart by their order. */
function nameOf(item: unknown): string {
  if (typeof item !== "object" || item === null) return "";
  const object = item as Tree;
  const name = names.map((field) => ownText(object, field)).find((text) => text !== "");
  if (name !== undefined) return name;
  const parts = ["service_name", "service_module", "repo_name"].map((field) => ownText(object, field));
  return parts.filter((text) => text !== "").join("/");
}

function ownText(object: Tree, field: string): string {
  const value = Object.hasOwn(object, field) ? object[field] : "";
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}
