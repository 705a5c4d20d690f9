import type { KubeObject } from "../../manifest/parseManifest.ts";
import type { CallOptions, ClusterClient } from "../client/ClusterClient.ts";
import { ClusterInvalid } from "../client/errors.ts";
import { applyByForce } from "./applyByForce.ts";
import { pullSecretName } from "./marks.ts";
import type { RegistryLogin } from "./registryLogin.ts";

/** The secret with which pods of a namespace pull images (contract P 16.4, D 4.4). */
export function pullSecret(namespace: string, address: string, login: RegistryLogin | undefined): KubeObject {
  const { username, password } = login ?? { username: "", password: "" };
  const auth = Buffer.from(`${username}:${password}`).toString("base64");
  const host = address
    .trim()
    .replace(/^https?:\/\//, "")
    .replace(/\/+$/, "");
  const content = login === undefined ? {} : { [host]: { username, password, email: "", auth } };
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: pullSecretName, namespace },
    type: "kubernetes.io/dockercfg",
    data: { ".dockercfg": Buffer.from(JSON.stringify(content)).toString("base64") },
  };
}

/** Writes the pull secret of a namespace; one that is equal already is left as it is. */
export async function applyPullSecret(
  client: ClusterClient,
  secret: KubeObject,
  call: CallOptions = {},
): Promise<void> {
  try {
    await applyByForce(client, secret, call);
  } catch (error) {
    if (!(error instanceof ClusterInvalid)) throw error;
    // The type of a secret cannot be changed, so a secret that has another type is replaced.
    const { apiVersion, kind, metadata } = secret;
    await client.remove({ apiVersion, kind, name: metadata.name, namespace: metadata.namespace }, call);
    await applyByForce(client, secret, call);
  }
}

/** Takes the pull secret out of a namespace that stays. */
export async function removePullSecret(
  client: ClusterClient,
  namespace: string,
  call: CallOptions = {},
): Promise<void> {
  await client.remove({ apiVersion: "v1", kind: "Secret", name: pullSecretName, namespace }, call);
}
