import type { JobRegistry } from "./containerJob.ts";
import { filesPath } from "./paths.ts";

/** Docker's `config.json` with what signs in to the registries. */
export function dockerConfig(registries: readonly JobRegistry[]): string {
  const auths = registries.flatMap(({ address, username, password }) =>
    username === "" && password === ""
      ? []
      : [[hostOf(address), { auth: Buffer.from(`${username}:${password}`).toString("base64") }]],
  );
  return JSON.stringify({ auths: Object.fromEntries(auths) });
}

/** How buildkitd reaches the registries: over `http:`, with certificates of their own, or without asking for one. */
export function buildkitConfig(registries: readonly JobRegistry[]): string {
  const lines = registries.map((registry, at) => {
    const how = [
      ...(registry.address.startsWith("http:") ? ["http = true"] : []),
      ...(registry.tlsEnabled ? [] : ["insecure = true"]),
      ...(registry.tlsCertificate === "" ? [] : [`ca = [${JSON.stringify(`${filesPath}/${certificateName(at)}`)}]`]),
    ];
    return how.length === 0 ? "" : `[registry.${JSON.stringify(hostOf(registry.address))}]\n${how.join("\n")}\n`;
  });
  return [...new Set(lines)].join("");
}

/** Certificates by the name of their file. */
export function certificateFiles(registries: readonly JobRegistry[]): Record<string, string> {
  return Object.fromEntries(
    registries.flatMap(({ tlsCertificate }, at) =>
      tlsCertificate === "" ? [] : [[certificateName(at), tlsCertificate]],
    ),
  );
}

/** Host and port, as images name a registry. */
export function hostOf(address: string): string {
  return address
    .trim()
    .replace(/^https?:\/\//, "")
    .replace(/\/.*$/, "");
}

function certificateName(at: number): string {
  return `ca-${at}.pem`;
}
