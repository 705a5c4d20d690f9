import { isRecord } from "../../manifest/schema/kubeObject.ts";
import { maskedValue, secretSpellings } from "../live/secretValues.ts";

interface Asked {
  /** With or without its query. */
  path: string;
  body?: string | Buffer | undefined;
}

export function isOfSecrets({ path }: Asked): boolean {
  return /^\/api\/v1\/(?:namespaces\/[^/]+\/)?secrets(?:[/?]|$)/.test(path);
}

/** A failed answer of an API server; one to a request about Secrets without values that it repeats. */
export function withoutSecretValues(status: unknown, asked: Asked): unknown {
  if (!isOfSecrets(asked) || !isRecord(status)) return status;
  const { message, details } = status;
  const spellings = spellingsSent(asked.body);
  const masked = (text: unknown) => (typeof text === "string" ? maskedMessage(text, spellings) : text);
  const causes = isRecord(details) && Array.isArray(details.causes) ? details.causes : [];
  return {
    ...status,
    message: masked(message),
    ...(isRecord(details) && {
      details: {
        ...details,
        causes: causes.map((cause) => (isRecord(cause) ? { ...cause, message: masked(cause.message) } : cause)),
      },
    }),
  };
}

/**
 * What an API server says of a Secret that it refuses, without values (decisions 17.5). It repeats what it could not read:
 * a wrong value, the patch, or the whole object as it is kept. An admission webhook says what it likes.
 */
function maskedMessage(message: string, spellings: readonly string[]): string {
  const named = message
    .replaceAll(/\b(\w+ value): "[^"\\]*(?:\\.[^"\\]*)*"/g, `$1: "${maskedValue}"`)
    .replace(/\b(\w+ value): (?!")[\s\S]*$/, `$1: ${maskedValue}`)
    .replace(/\bgot [\s\S]*$/, `got ${maskedValue}`)
    .replaceAll(/\bcannot unmarshal number \S+/g, `cannot unmarshal number ${maskedValue}`);
  return spellings.reduce((text, spelling) => text.replaceAll(spelling, maskedValue), named);
}

/** A shorter one would hide words of the message, and says little. */
const shortest = 4;

function spellingsSent(sent: Asked["body"]): string[] {
  const body = sent === undefined ? undefined : parsed(String(sent));
  const object = Array.isArray(body) ? { data: body.map((one) => (isRecord(one) ? one.value : one)) } : body;
  if (!isRecord(object)) return [];
  return secretSpellings(object)
    .filter(({ length }) => length >= shortest)
    .sort((a, b) => b.length - a.length);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
