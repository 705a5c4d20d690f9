import type { CallOptions, ClusterClient } from "../clients/kubernetes/ClusterClient.ts";
import { applyPullSecret, pullSecret } from "../deploy/pullSecret.ts";
import { registryLogin } from "../registries/registryLogin.ts";
import { requireRegistry } from "../store/registries.ts";

/** Writes the login of a registry into a namespace, where pods pull images with it (contract P 16.4). */
export async function writePullSecret(
  client: ClusterClient,
  target: { namespace: string; registryId: string },
  call: CallOptions = {},
): Promise<void> {
  const { server, username, password } = await registryLogin(await requireRegistry(target.registryId));
  const login = username === "" && password === "" ? undefined : { username, password };
  await applyPullSecret(client, pullSecret(target.namespace, server, login), call);
}
