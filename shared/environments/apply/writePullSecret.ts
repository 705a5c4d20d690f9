import { applyPullSecret, pullSecret } from "../../kube/apply/pullSecret.ts";
import type { CallOptions, ClusterClient } from "../../kube/client/ClusterClient.ts";
import type { KubeObject } from "../../manifest/schema/kubeObject.ts";
import { registryLogin } from "../../packaging/registries/registryLogin.ts";
import { renewBeforeEnd } from "../../packaging/registries/renewals.ts";
import { type RegistryRecord, requireRegistry } from "../../packaging/registries/store/registries.ts";

interface PullSecretTarget {
  namespace: string;
  registryId: string;
}

/** Writes the login of a registry into a namespace, where pods pull images with it (contract P 16.4). */
export async function writePullSecret(
  client: ClusterClient,
  target: PullSecretTarget,
  call: CallOptions = {},
): Promise<void> {
  const registry = await requireRegistry(target.registryId);
  await applyPullSecret(client, await secretWithLogin(target.namespace, registry), call);
  await renewBeforeEnd(registry);
}

/** The secret with the login of a registry. @throws ApiError when the registry is unknown or gives no login */
export async function pullSecretOf({ namespace, registryId }: PullSecretTarget): Promise<KubeObject> {
  return secretWithLogin(namespace, await requireRegistry(registryId));
}

async function secretWithLogin(namespace: string, registry: RegistryRecord): Promise<KubeObject> {
  const { server, username, password } = await registryLogin(registry);
  const login = username === "" && password === "" ? undefined : { username, password };
  return pullSecret(namespace, server, login);
}
