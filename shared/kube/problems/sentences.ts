/**
 * Turns Kubernetes' own words into a sentence for readers who do not know them. An unrecognised text is passed on as it
 * is: a cause that reads badly is better than none.
 */

const registrySays: readonly [pattern: RegExp, sentence: string][] = [
  [/\b(401|403)\b|unauthori[sz]ed|authentication required|access denied|denied: /i, "the registry refuses the login"],
  [/not found|manifest unknown|repository does not exist|name unknown/i, "the registry has no such image"],
  [/no such host|server misbehaving/i, "the registry's name is unknown"],
  [/http: server gave HTTP response to HTTPS client/i, "the registry speaks plain HTTP, which the node does not allow"],
  [/x509|certificate/i, "the node does not trust the registry's certificate"],
  [/connection refused|i\/o timeout|deadline exceeded|no route to host|EOF$/i, "the registry does not answer"],
  [/invalid reference format|couldn't parse image/i, "its name is not a valid image reference"],
];

/** Why an image cannot be pulled; `told` is what the kubelet wrote about it. */
export function imageSentence(container: string, image: string, told: string): string {
  const subject = `image ${image} of container ${container} cannot be pulled`;
  const why = registrySays.find(([pattern]) => pattern.test(told))?.[1];
  if (why !== undefined) return `${subject}: ${why} (${lastPart(told)})`;
  return told === "" || /^back-off pulling image/i.test(told) ? subject : `${subject}: ${told}`;
}

/** The innermost cause of a chain of causes that are joined by colons. */
function lastPart(told: string): string {
  const parts = told.split(/: (?=[^\s])/);
  return parts.at(-1)?.trim() ?? told;
}

const exitCodes: Readonly<Record<number, string>> = {
  126: "its command cannot be executed",
  127: "its command was not found",
  134: "it aborted",
  137: "it was killed",
  139: "it accessed memory that it may not access (segmentation fault)",
  143: "it was asked to end",
};

export interface Crash {
  container: string;
  exitCode: number | undefined;
  /** Of the container's end, for example `OOMKilled`. */
  reason: string;
  message: string;
  restarts: number;
  /** The last lines that it wrote; empty when they could not be read. */
  lastLines: string;
}

export function crashSentence({ container, exitCode, reason, message, restarts, lastLines }: Crash): string {
  const explained = exitCode === undefined ? undefined : exitCodes[exitCode];
  const code =
    exitCode === undefined ? "" : ` with exit code ${exitCode}${explained === undefined ? "" : ` (${explained})`}`;
  const ended = reason === "OOMKilled" ? " because it used more memory than its limit allows" : code;
  const again = restarts > 0 ? ` and was started again ${restarts === 1 ? "once" : `${restarts} times`}` : "";
  const lines = lastLines.trim() || message.trim();
  return `container ${container} ended${ended}${again}${lines === "" ? "" : `; the last that it said: ${lines}`}`;
}

/** `configmap "x" not found` and its like, of variables as of volumes; undefined for other causes. */
export function missingSentence(told: string): string | undefined {
  const [, kind = "", name] = /\b(configmap|secret) "([^"]+)" not found/i.exec(told) ?? [];
  if (name !== undefined) return `${kindWord(kind)} ${name} does not exist`;
  const [, key, of = "", object] =
    /couldn't find key (\S+) in (ConfigMap|Secret) (?:[^/\s]+\/)?(\S+)/i.exec(told) ?? [];
  if (key !== undefined) return `${kindWord(of)} ${object} has no key ${key}`;
  const [, holder = "", lacking] = /references non-existent (config|secret) key: (\S+)/i.exec(told) ?? [];
  return lacking === undefined ? undefined : `its ${kindWord(holder)} has no key ${lacking}`;
}

function kindWord(word: string): string {
  return /^secret/i.test(word) ? "Secret" : "ConfigMap";
}

/** Why pods cannot be created at all. */
export function creationSentence(told: string): string {
  const [, quota, rest] = /exceeded quota: ([^,]+), (requested: .*)$/s.exec(told) ?? [];
  if (quota !== undefined)
    return `its pods cannot be created: the quota ${quota} of the namespace is exceeded (${rest})`;
  const [, insufficient] = /(failed quota: .*)$/s.exec(told) ?? [];
  return `its pods cannot be created: ${insufficient ?? told}`;
}

const probes: Readonly<Record<string, string>> = {
  Readiness: "is not ready: its readiness probe fails",
  Liveness: "is started again and again: its liveness probe fails",
  Startup: "does not come up: its startup probe fails",
};

/** `Readiness probe failed: …`; undefined for other warnings. */
export function probeSentence(container: string, told: string): string | undefined {
  const [, probe = "", why = ""] =
    /^(Readiness|Liveness|Startup) probe (?:failed|errored)(?::\s*)?(.*)$/s.exec(told) ?? [];
  const sentence = probes[probe];
  return sentence === undefined
    ? undefined
    : `container ${container} ${sentence}${why === "" ? "" : ` (${why.trim()})`}`;
}
