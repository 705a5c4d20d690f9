const secretNames = [
  ...["password", "oldPassword", "newPassword", "secret_key", "access_key", "kube_config", "tls_cert"],
  ...[
    "access_token",
    "webhook_secret",
    "ssh_key",
    "token",
    "app_secret",
    "secret",
    "hook_secret",
    "encrypt_key",
    "verification_token",
    "jira_token",
  ],
];

/** A body as the operation log has to show it: the secrets that these suites send are eight asterisks. */
export function maskedBody(body: unknown): string {
  return JSON.stringify(body, function (this: unknown, name, value: unknown) {
    const beside = (typeof this === "object" && this !== null ? this : {}) as Record<string, unknown>;
    const ofCredential = beside.is_credential === true && ["value", "default_value"].includes(name);
    const ofTemplate = name === "inputs" && ("service_module" in beside || "test_name" in beside);
    if ((ofCredential && value !== "") || ofTemplate || name === "scan_kvs") return "********";
    const isSecret = secretNames.includes(name) && value !== "";
    const holdsSecret = name === "yaml_data" && typeof value === "string" && value.includes("kind: Secret");
    return isSecret || holdsSecret ? "********" : value;
  });
}
