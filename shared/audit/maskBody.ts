const mask = "********";
const secretEndings = ["password", "passwd", "token", "secret", "credential"];
const secretNames = [
  "pwd",
  "ak",
  "sk",
  "api_key",
  "access_key",
  "access_key_id",
  "secret_key",
  "private_key",
  "connection_string",
];
const alwaysSecret = ["encryption", "kube_config", "kubeconfig", "tls_cert"];
/** A manifest text that holds a Secret: its values cannot be told from the rest reliably, so all of it is masked. */
const secretManifest = /(?:^|[\s{,])["']?kind["']?\s*:\s*(?:!\S*\s+)?["']?Secret\b/m;

/** Masks what contract I 9.5 calls sensitive, at any depth. The input is not changed. */
export function maskBody(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(maskBody);
  if (typeof value === "string") return secretManifest.test(value) ? mask : value;
  if (typeof value !== "object" || value === null) return value;
  const object = value as Record<string, unknown>;
  const namesASecret = ["key", "name", "variable_key"].some(
    (field) => typeof object[field] === "string" && isSensitive(object[field]),
  );
  const holdsASecret = object.is_credential === true || object.is_sensitive === true || namesASecret;
  const masked = Object.entries(object).map(([key, inner]) => [key, maskField(key, inner, holdsASecret)] as const);
  // The type of a configuration tells what its YAML is, however that is written (contract P 7).
  const isSecretConfig = object.common_env_cfg_type === "Secret" && "yaml_data" in object;
  return Object.fromEntries(isSecretConfig ? [...masked, ["yaml_data", mask]] : masked);
}

/** Tells whether a key names a secret, in snake case, camel case or without separators. */
export function isSensitive(key: string): boolean {
  const snake = key
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replace(/[-.\s]/g, "_")
    .toLowerCase();
  const plain = snake.replaceAll("_", "");
  if (alwaysSecret.includes(snake)) return true;
  if (secretEndings.some((ending) => snake.endsWith(ending))) return true;
  return secretNames.some((name) => {
    const joined = name.replaceAll("_", "");
    return snake === name || snake.endsWith(`_${name}`) || (joined.length > 2 && plain.endsWith(joined));
  });
}

function maskField(key: string, value: unknown, holdsASecret: boolean): unknown {
  const secret = isSensitive(key) || (holdsASecret && ["value", "default", "choice_value"].includes(key));
  if (secret) return isEmpty(value) ? value : mask;
  if (key === "variable_yaml" && typeof value === "string") return maskYaml(value);
  return maskBody(value);
}

function isEmpty(value: unknown): boolean {
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
    if (key !== "" && isSensitive(key)) {
      lines.push(`${lead}${key}: ${isEmpty(value) ? value : mask}`.trimEnd());
      hiddenBelow = lead.length;
    } else if (words(key === "" ? line : value).some(isSensitive)) return mask;
    else lines.push(line);
  }
  return lines.join("\n");
}

function words(text: string): string[] {
  return text.match(/[A-Za-z][\w-]*/g) ?? [];
}
