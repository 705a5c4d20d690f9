const secretNames = [
  ...["password", "oldPassword", "newPassword", "secret_key", "access_key", "kube_config", "tls_cert"],
  ...["access_token", "ssh_key", "token", "app_secret"],
];

/** A body as the operation log has to show it: the secrets that these suites send are eight asterisks. */
export function maskedBody(body: unknown): string {
  return JSON.stringify(body, (name, value: unknown) => {
    const isSecret = secretNames.includes(name) && value !== "";
    const holdsSecret = name === "yaml_data" && typeof value === "string" && value.includes("kind: Secret");
    return isSecret || holdsSecret ? "********" : value;
  });
}
