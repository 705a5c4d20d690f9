import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { delimiter, dirname, isAbsolute, resolve } from "node:path";
import { dump } from "js-yaml";
import { ClusterCredentialsInvalid } from "../errors.ts";
import type { Kubeconfig } from "./kubeconfigSchema.ts";
import { parseKubeconfig } from "./parseKubeconfig.ts";

/** The operator's own cluster: one self-contained text, and what to call it. */
export interface OperatorKubeconfig {
  /** Files inlined, one context; exec plugins stay named and run when the cluster is used. */
  text: string;
  contextName: string;
  server: string;
}

/** Fields whose content is in a separate file unless the kubeconfig holds it itself. */
const inlined = { cluster: [["certificate-authority"]], user: [["client-certificate"], ["client-key"]] } as const;

/**
 * Reads the files that `KUBECONFIG` names as kubectl does: the first mention of a name wins, files are inlined, paths are
 * relative to the file that names them (decisions 5.1). Belongs to the local start alone.
 * @returns undefined when `KUBECONFIG` is not set
 * @throws ClusterCredentialsInvalid naming the file and the field
 */
export async function readOperatorKubeconfig(env: NodeJS.ProcessEnv): Promise<OperatorKubeconfig | undefined> {
  const files = (env.KUBECONFIG ?? "").split(delimiter).filter((file) => file !== "");
  if (files.length === 0) return undefined;
  const found: Kubeconfig[] = [];
  for (const file of files) {
    const config = await readConfig(file, files.length > 1);
    if (config !== undefined) found.push(config);
  }
  if (found.length === 0)
    throw new ClusterCredentialsInvalid(`KUBECONFIG: none of the files exists: ${files.join(", ")}`);
  const merged: Kubeconfig = {
    apiVersion: "v1",
    kind: "Config",
    "current-context": found.map((config) => config["current-context"]).find((name) => name !== "") ?? "",
    clusters: firstOfName(found.flatMap((config) => config.clusters)),
    contexts: firstOfName(found.flatMap((config) => config.contexts)),
    users: firstOfName(found.flatMap((config) => config.users)),
  };
  return minify(merged);
}

async function readConfig(file: string, mayBeAbsent: boolean): Promise<Kubeconfig | undefined> {
  const path = file.startsWith("~/") ? resolve(homedir(), file.slice(2)) : resolve(file);
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    if (mayBeAbsent && error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    const reason = error instanceof Error ? error.message : String(error);
    throw new ClusterCredentialsInvalid(`KUBECONFIG: ${path} cannot be read: ${reason}`, { cause: error });
  }
  const parsed = parseKubeconfig(text, { partial: mayBeAbsent });
  if ("problems" in parsed) {
    const list = parsed.problems.map((one) => `${one.path || "the file"} ${one.wrong}`).join("; ");
    throw new ClusterCredentialsInvalid(`KUBECONFIG: ${path}: ${list}`);
  }
  const { config } = parsed;
  for (const { cluster } of config.clusters) await inlineFiles(cluster, inlined.cluster, path);
  for (const { user } of config.users) {
    if (!user) continue;
    await inlineFiles(user, inlined.user, path);
    await inlineTokenFile(user, path);
    makeExecRunnable(user, path);
  }
  return config;
}

async function inlineFiles(
  entry: Record<string, unknown>,
  fields: readonly (readonly [string])[],
  configPath: string,
): Promise<void> {
  for (const [field] of fields) {
    const file = entry[field];
    if (typeof file !== "string") continue;
    const content = await readBeside(configPath, file, field);
    delete entry[field];
    // kubectl prefers the inline data when both are given.
    entry[`${field}-data`] ??= content.toString("base64");
  }
}

async function inlineTokenFile(user: Record<string, unknown>, configPath: string): Promise<void> {
  if (typeof user.tokenFile !== "string") return;
  const token = await readBeside(configPath, user.tokenFile, "tokenFile");
  delete user.tokenFile;
  user.token = token.toString("utf8").trim();
}

/** A program given by a relative path is meant beside its file, and plugins expect to be told which API they serve. */
function makeExecRunnable(user: Record<string, unknown>, configPath: string): void {
  const { exec } = user;
  if (typeof exec !== "object" || exec === null) return;
  if ("command" in exec && typeof exec.command === "string" && exec.command.includes("/") && !isAbsolute(exec.command))
    exec.command = resolve(dirname(configPath), exec.command);
  const apiVersion = "apiVersion" in exec ? exec.apiVersion : "client.authentication.k8s.io/v1";
  const info = JSON.stringify({ apiVersion, kind: "ExecCredential", spec: { interactive: false } });
  const env = "env" in exec && Array.isArray(exec.env) ? exec.env : [];
  Object.assign(exec, { env: [...env, { name: "KUBERNETES_EXEC_INFO", value: info }] });
}

async function readBeside(configPath: string, file: string, field: string): Promise<Buffer> {
  const path = isAbsolute(file) ? file : resolve(dirname(configPath), file);
  try {
    return await readFile(path);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ClusterCredentialsInvalid(`KUBECONFIG: ${configPath}: ${field} cannot be read: ${reason}`, {
      cause: error,
    });
  }
}

function firstOfName<T extends { name: string }>(entries: T[]): T[] {
  return entries.filter((entry, index) => entries.findIndex(({ name }) => name === entry.name) === index);
}

/** Keeps the current context with its cluster and user alone. */
function minify(config: Kubeconfig): OperatorKubeconfig {
  const contextName = config["current-context"];
  const context = config.contexts.find(({ name }) => name === contextName);
  const cluster = config.clusters.find(({ name }) => name === context?.context.cluster);
  if (context === undefined || cluster === undefined)
    throw new ClusterCredentialsInvalid(
      `KUBECONFIG: current-context "${contextName}" leads to no cluster; contexts: ${config.contexts.map(({ name }) => name).join(", ")}`,
    );
  // The library speaks plain HTTP only where certificates are not asked for.
  if (cluster.cluster.server.startsWith("http:")) cluster.cluster["insecure-skip-tls-verify"] = true;
  const users = config.users.filter(({ name }) => name === context.context.user);
  const text = dump({ ...config, clusters: [cluster], contexts: [context], users });
  return { text, contextName, server: cluster.cluster.server };
}
