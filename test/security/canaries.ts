import { randomBytes } from "node:crypto";

/**
 * Where a secret may be found. `never`: nowhere. `answers`: in answers that are asked for it by the contract (the history
 * of a Secret's configuration). `text`: in these, and in the item that keeps the text as it was sent (a service's YAML).
 */
export type Allowed = "never" | "answers" | "text";

export interface Canary {
  name: string;
  text: string;
  allowed: Allowed;
}

/** Hands out texts that stand nowhere by chance, and finds them again, also in base64. */
export class Canaries {
  readonly #all: Canary[] = [];

  /** A text for one secret field; it passes as a password. */
  plant(name: string, allowed: Allowed = "never"): string {
    const text = `Canary-${this.#all.length}-${randomBytes(8).toString("hex")}`;
    this.#all.push({ name, text, allowed });
    return text;
  }

  /** Takes a secret that Slipway itself made. */
  adopt(name: string, text: string): void {
    this.#all.push({ name, text, allowed: "never" });
  }

  names(): string[] {
    return this.#all.map(({ name }) => name);
  }

  /** Names of the canaries that `text` holds, of those that are not allowed there. */
  foundIn(text: string, allowedThere: readonly Allowed[] = []): string[] {
    return this.#all
      .filter(({ allowed }) => !allowedThere.includes(allowed))
      .filter((canary) => spellings(canary.text).some((spelling) => text.includes(spelling)))
      .map(({ name }) => name);
  }
}

/** As it is, and as base64 has it at each of the three places where it may begin. */
function spellings(text: string): string[] {
  const encoded = [0, 1, 2].map((shift) =>
    Buffer.from("x".repeat(shift) + text)
      .toString("base64")
      .slice(4, -4),
  );
  return [text, encodeURIComponent(text), ...encoded];
}
