import { isSensitive } from "../../base/common/sensitiveKey.ts";

const mask = "********";
/**
 * A manifest text that holds a Secret, however YAML lets the kind be written: its values cannot be told from the rest
 * reliably, so all of it is masked. So is one whose texts are escaped, which may say anything.
 */
const secretKind = /(?:^|[\s{,])["']?kind["']?\s*:\s*(?:[!&|>]\S*\s+)*(?:["']?Secret(?:List)?\b|\*)/m;
const escapedManifest = /\\[xuU][0-9A-Fa-f]{2}/;

/** Who signs in, before the host of an address: `https://robot:password@host`. */
const userInAddress = /\b([a-z][a-z0-9+.-]*:\/\/)[^\s/"']+@/gi;

function maskText(text: string): string {
  return holdsSecretManifest(text) ? mask : maskAddresses(text);
}

function maskAddresses(text: string): string {
  return text.replace(userInAddress, `$1${mask}@`);
}

/** Whether a text names a Secret as its kind, in any way that YAML lets it be written, or is escaped and may do so. */
export function holdsSecretManifest(text: string): boolean {
  return secretKind.test(text) || (escapedManifest.test(text) && /kind|apiVersion/.test(text));
}

/** Masks what contract I 9.5 calls sensitive, at any depth. The input is not changed. */
export function maskBody(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(maskBody);
  if (typeof value === "string") return maskText(value);
  if (typeof value !== "object" || value === null) return value;
  const object = value as Record<string, unknown>;
  const namesASecret = ["key", "name", "variable_key"].some(
    (field) => typeof object[field] === "string" && isSensitive(object[field]),
  );
  // Refused bodies are logged as well: a mark of the wrong type is one.
  const isMarked = [object.is_credential, object.is_sensitive].some((mark) => (mark ?? false) !== false);
  const holdsASecret = isMarked || namesASecret;
  const masked = Object.entries(object).map(([key, inner]) => [key, maskField(key, inner, holdsASecret)] as const);
  // The type of a configuration tells what its YAML is, however that is written (contract P 7).
  const isSecretConfig = object.common_env_cfg_type === "Secret" && "yaml_data" in object;
  // Values for a build template, a test or a scan, which alone know the credentials among them (contract W 10.3, 12.2, 13.1).
  const isTarget = typeof object.service_module === "string" && Array.isArray(object.inputs);
  const isTestStart = "test_name" in object && "inputs" in object;
  const hidden = [
    ...(isTarget || isTestStart ? ["inputs"] : []),
    ...(isSecretConfig ? ["yaml_data"] : []),
    ...(object.kind === "Secret" ? ["data", "stringData"] : []),
    // What a patch brings into a Secret (decisions 17.5).
    ...(object.resource_kind === "Secret" ? ["patch_content", "params", "inputs"] : []),
    "scan_kvs",
  ];
  return Object.fromEntries([...masked, ...hidden.filter((key) => key in object).map((key) => [key, mask])]);
}

function maskField(key: string, value: unknown, holdsASecret: boolean): unknown {
  const secret =
    isSensitive(key) || (holdsASecret && ["value", "default", "default_value", "choice_value"].includes(key));
  if (secret) return isEmpty(value) ? value : mask;
  if (key === "variable_yaml" && typeof value === "string") return maskYaml(value);
  return maskBody(value);
}

function isEmpty(value: unknown): boolean {
  if (typeof value === "object" && value !== null) return Object.keys(value).length === 0;
  return value === null || value === undefined || typeof value === "boolean" || value === "";
}

const yamlEntry = /^(\s*(?:-\s+)*)(["']?)([^\s"':#{}[\],]+)\2\s*:(?:\s+(.*))?$/;

/**
 * Masks inside a text of YAML, line by line, so that no parser has to be carried in every function: the value of a
 * sensitive key goes, and the lines nested below it. A text that names a secret in any other form is masked as a whole.
 */
function maskYaml(text: string): string {
  const lines: string[] = [];
  let hiddenBelow: number | undefined;
  for (const line of text.split(/\r?\n/)) {
    const indent = line.length - line.trimStart().length;
    if (hiddenBelow !== undefined && (line.trim() === "" || indent > hiddenBelow)) continue;
    hiddenBelow = undefined;
    const [, lead = "", , key = "", value = ""] = yamlEntry.exec(line) ?? [];
    // Which of the fields beside it is meant, and what an escaped key says, only a parser can tell.
    if (marksASecret(key, value) || key.includes("\\")) return mask;
    if (key !== "" && isSensitive(key)) {
      lines.push(`${lead}${key}: ${plainYaml.test(value) ? value : mask}`.trimEnd());
      hiddenBelow = lead.length;
    } else if (words(key === "" ? line : value).some(isSensitive)) return mask;
    else lines.push(line);
  }
  return maskAddresses(lines.join("\n"));
}

const plainYaml = /^(?:true|false|null|~|)\s*$/;

function marksASecret(key: string, value: string): boolean {
  return ["is_credential", "is_sensitive"].includes(key) && !/^(?:false|null|~|)\s*$/.test(value);
}

function words(text: string): string[] {
  return text.match(/[A-Za-z][\w-]*/g) ?? [];
}
