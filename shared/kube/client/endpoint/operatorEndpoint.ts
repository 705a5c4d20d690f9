import type { RequestOptions } from "node:https";
import { KubeConfig } from "@kubernetes/client-node/dist/config.js";
import { ClusterCredentialsInvalid } from "../errors.ts";
import type { ClusterEndpoint } from "./ClusterEndpoint.ts";

const execSeconds = 60;

/**
 * Address and credentials of a kubeconfig whose author is trusted; programs it names are run as kubectl would.
 * @throws ClusterCredentialsInvalid when it cannot be read or the program fails
 */
export async function operatorEndpoint(text: string): Promise<ClusterEndpoint> {
  const config = new KubeConfig();
  try {
    config.loadFromString(text);
  } catch (error) {
    throw new ClusterCredentialsInvalid("KUBECONFIG cannot be read", { cause: error });
  }
  const cluster = config.getCurrentCluster();
  if (cluster === null)
    throw new ClusterCredentialsInvalid("KUBECONFIG: current-context names no cluster of this file");
  if (cluster.proxyUrl !== undefined)
    throw new ClusterCredentialsInvalid(
      "KUBECONFIG: proxy-url is not supported; use an address reached without a proxy",
    );
  const first = await credentials(config);
  const { ca, cert, key, servername, rejectUnauthorized } = first;
  return {
    server: new URL(cluster.server),
    tls: {
      ...(ca && { ca }),
      ...(cert && { cert }),
      ...(key && { key }),
      ...(servername !== undefined && { servername }),
      ...(rejectUnauthorized !== undefined && { rejectUnauthorized }),
    },
    // The library caches what a program returned until it expires, so asking before each request is cheap.
    authorize: async () => authorizationOf(await credentials(config)),
    rule: "unchecked",
  };
}

async function credentials(config: KubeConfig): Promise<RequestOptions> {
  const options: RequestOptions = {};
  const late = new Promise<never>((_, reject) => {
    const limit = setTimeout(
      () => reject(new ClusterCredentialsInvalid(`KUBECONFIG: its login program did not end within ${execSeconds} s`)),
      execSeconds * 1000,
    );
    limit.unref();
  });
  try {
    await Promise.race([config.applyToHTTPSOptions(options), late]);
  } catch (error) {
    if (error instanceof ClusterCredentialsInvalid) throw error;
    const reason = error instanceof Error ? error.message.trim() : String(error);
    throw new ClusterCredentialsInvalid(`KUBECONFIG: its credentials cannot be made: ${reason}`, { cause: error });
  }
  return options;
}

function authorizationOf(options: RequestOptions): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(options.headers ?? {})) headers[name.toLowerCase()] = String(value);
  if (typeof options.auth === "string") headers.authorization = `Basic ${Buffer.from(options.auth).toString("base64")}`;
  return headers;
}
