/** Contract P 20 allows an environment 50 characters. */
const maxCharacters = 50;

/**
 * Name of a member's own copy of an environment (contract I 8.3): `<mode>-<base>-<identity type>-<account>` in the
 * characters of an environment's name, cut to its length, and numbered where that name is taken.
 */
export function copyName(
  parts: { mode: string; base: string; identityType: string; account: string },
  taken: ReadonlySet<string>,
): string {
  const whole = [parts.mode, parts.base, parts.identityType, parts.account].map(plain).filter((part) => part !== "");
  const name = cut(whole.join("-"), maxCharacters);
  for (let number = 1; ; number++) {
    const end = number === 1 ? "" : `-${number}`;
    const candidate = cut(name, maxCharacters - end.length) + end;
    if (!taken.has(candidate)) return candidate;
  }
}

/** As workflow keys go. */
const maxKeyCharacters = 64;

/**
 * Keys for a member's own copy of a workflow (contract I 8.3), best first: `<mode>-<base>-<identity type>-<uid>` in the
 * characters of a key. The part of the member is never cut, because keys are unique in the installation; the rest is.
 */
export function* workflowCopyKeys(parts: {
  mode: string;
  base: string;
  identityType: string;
  uid: string;
}): Generator<string, never> {
  const start = [parts.mode, parts.base].map(plain).join("-");
  for (let number = 1; ; number++) {
    const end = [parts.identityType, parts.uid, ...(number === 1 ? [] : [String(number)])].map(plain).join("-");
    yield trimmed(`${cut(start, maxKeyCharacters - end.length - 1)}-${end}`);
  }
}

/** Letters without their accents, everything else a hyphen. */
function plain(text: string): string {
  const letters = text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  return trimmed(letters.replace(/[^a-z0-9]+/g, "-"));
}

function cut(text: string, most: number): string {
  return trimmed(text.slice(0, most));
}

function trimmed(text: string): string {
  return text.replace(/^-+|-+$/g, "");
}
