import { createPrivateKey, X509Certificate } from "node:crypto";
import { parseAddress } from "../../../base/outbound/checkedFetch.ts";
import { OutboundRefused } from "../../../base/outbound/outboundErrors.ts";
import type { Kubeconfig, KubeconfigCluster, KubeconfigUser } from "./kubeconfigSchema.ts";
import { type KubeconfigProblem, parseKubeconfig } from "./parseKubeconfig.ts";

const flatten = "put the content itself in, as `kubectl config view --raw --minify --flatten` does";
const staticUser = "use a token or a client certificate, for example of a service account made for Slipway";

/** Fields that would make the platform run a program, read a file or go another way than told: why, and what instead. */
const refusedUserFields: Record<string, [wrong: string, right: string]> = {
  exec: ["names a program to run", staticUser],
  "auth-provider": ["names a login plugin", staticUser],
  "client-certificate": ["names a file", `${flatten} (client-certificate-data)`],
  "client-key": ["names a file", `${flatten} (client-key-data)`],
  tokenFile: ["names a file", "put the token itself in (token)"],
  as: ["acts as another user", "use credentials of that user"],
  "as-uid": ["acts as another user", "use credentials of that user"],
  "as-groups": ["acts as another group", "use credentials of a user in that group"],
  "as-user-extra": ["acts as another user", "use credentials of that user"],
};

const refusedClusterFields: Record<string, [wrong: string, right: string]> = {
  "certificate-authority": ["names a file", `${flatten} (certificate-authority-data)`],
  "proxy-url": ["names a proxy", "give an address that is reached without a proxy"],
};

/**
 * Checks a kubeconfig that arrives by API (decisions 5.1): all problems at once, in every entry, used or not, since the
 * whole text is stored. An empty list means that `connect` takes it.
 */
export function checkKubeconfig(text: string): KubeconfigProblem[] {
  const parsed = parseKubeconfig(text);
  return "problems" in parsed ? parsed.problems : configProblems(parsed.config);
}

function configProblems(config: Kubeconfig): KubeconfigProblem[] {
  return [
    ...config.clusters.flatMap(({ cluster }, index) => clusterProblems(cluster, `clusters[${index}].cluster`)),
    ...config.users.flatMap(({ user }, index) => userProblems(user ?? {}, `users[${index}].user`)),
    ...contextProblems(config),
  ];
}

function clusterProblems(cluster: KubeconfigCluster, path: string): KubeconfigProblem[] {
  const problems = refused(cluster, refusedClusterFields, path);
  try {
    const server = parseAddress(cluster.server);
    if (server.search !== "" || server.hash !== "")
      problems.push({ path: `${path}.server`, wrong: "has a query", right: "give scheme, host and port only" });
  } catch (error) {
    if (!(error instanceof OutboundRefused)) throw error;
    problems.push({
      path: `${path}.server`,
      wrong: error.message,
      right: "give an address such as https://10.0.0.1:6443",
    });
  }
  const authority = cluster["certificate-authority-data"];
  if (authority !== undefined && !isPem(authority, (pem) => new X509Certificate(pem)))
    problems.push(notPem(`${path}.certificate-authority-data`, "certificate"));
  return problems;
}

function userProblems(user: KubeconfigUser, path: string): KubeconfigProblem[] {
  const problems = refused(user, refusedUserFields, path);
  const certificate = user["client-certificate-data"];
  const key = user["client-key-data"];
  if (certificate !== undefined && !isPem(certificate, (pem) => new X509Certificate(pem)))
    problems.push(notPem(`${path}.client-certificate-data`, "certificate"));
  if (key !== undefined && !isPem(key, (pem) => createPrivateKey(pem)))
    problems.push(notPem(`${path}.client-key-data`, "private key"));
  if ((certificate === undefined) !== (key === undefined))
    problems.push({ path, wrong: "has only one of client certificate and key", right: "give both or neither" });
  return problems;
}

function contextProblems(config: Kubeconfig): KubeconfigProblem[] {
  const wanted = config["current-context"];
  const index = config.contexts.findIndex(({ name }) => name === wanted);
  const context = config.contexts[index]?.context;
  if (context === undefined)
    return [{ path: "current-context", wrong: "names no context of this file", right: oneOf(config.contexts) }];
  const path = `contexts[${index}].context`;
  const problems: KubeconfigProblem[] = [];
  if (!config.clusters.some(({ name }) => name === context.cluster))
    problems.push({ path: `${path}.cluster`, wrong: "names no cluster of this file", right: oneOf(config.clusters) });
  if (!config.users.some(({ name }) => name === context.user))
    problems.push({ path: `${path}.user`, wrong: "names no user of this file", right: oneOf(config.users) });
  return problems;
}

function refused(
  entry: Record<string, unknown>,
  fields: Record<string, [wrong: string, right: string]>,
  path: string,
): KubeconfigProblem[] {
  return Object.entries(fields)
    .filter(([field]) => entry[field] !== undefined && entry[field] !== null)
    .map(([field, [wrong, right]]) => ({ path: `${path}.${field}`, wrong, right }));
}

function isPem(base64: string, parse: (pem: Buffer) => unknown): boolean {
  try {
    parse(Buffer.from(base64, "base64"));
    return true;
  } catch {
    return false;
  }
}

function notPem(path: string, what: string): KubeconfigProblem {
  return { path, wrong: `is no PEM ${what}`, right: `give a PEM ${what} in base64` };
}

function oneOf(entries: { name: string }[]): string {
  return entries.length === 0 ? "add it" : `use one of: ${entries.map(({ name }) => name).join(", ")}`;
}
