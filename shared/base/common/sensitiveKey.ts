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
  "ssh_key",
  "encrypt_key",
  "connection_string",
  "mfa_code",
];
const alwaysSecret = ["encryption", "kube_config", "kubeconfig", "tls_cert"];

/** Tells whether a key names a secret (contract I 9.5), in snake case, camel case or without separators. */
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
