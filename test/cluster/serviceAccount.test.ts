import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import type { ClusterClient } from "../../shared/kube/client/ClusterClient.ts";
import { connect } from "../../shared/kube/client/connect.ts";
import { readOperatorKubeconfig } from "../../shared/kube/client/endpoint/operatorKubeconfig.ts";
import { parseKubeconfig } from "../../shared/kube/client/endpoint/parseKubeconfig.ts";
import type { KubeObject } from "../../shared/manifest/parseManifest.ts";
import { type Caller, environmentBody, untilStatus } from "../harness/boutique.ts";
import { deploymentYaml } from "../harness/manifests.ts";
import { startProgram } from "../harness/program.ts";
import { adminToken } from "../harness/slipway.ts";
import { waitFor } from "../harness/waitFor.ts";

const operator = await readOperatorKubeconfig(process.env);
const namespace = `slipway-test-${randomBytes(4).toString("hex")}`;
let admin: ClusterClient;

if (operator === undefined)
  console.warn("SKIPPED: clusters with few rights. Set KUBECONFIG to a Kubernetes API server to run them.");

/** The operator's cluster as a service account sees it. */
async function kubeconfigOf(account: string): Promise<string> {
  await admin.create({ apiVersion: "v1", kind: "ServiceAccount", metadata: { name: account, namespace } });
  const metadata = { name: account, namespace, annotations: { "kubernetes.io/service-account.name": account } };
  await admin.create({ apiVersion: "v1", kind: "Secret", metadata, type: "kubernetes.io/service-account-token" });
  const token = await waitFor("the account's token", async () => {
    const { data } = (await admin.get({ apiVersion: "v1", kind: "Secret", name: account, namespace })) as {
      data?: { token?: string };
    };
    return data?.token;
  });
  const parsed = parseKubeconfig(operator?.text ?? "");
  if ("problems" in parsed) throw new Error("the operator's kubeconfig cannot be read");
  const users = parsed.config.users.map(({ name }) => ({
    name,
    user: { token: Buffer.from(token, "base64").toString() },
  }));
  return JSON.stringify({ ...parsed.config, users });
}

/** What an account may do: everything in the namespace, and look at the namespace itself. */
async function allow(account: string): Promise<void> {
  const group = "rbac.authorization.k8s.io";
  const subjects = [{ kind: "ServiceAccount", name: account, namespace }];
  const binding = (kind: string, name: string): KubeObject => ({
    apiVersion: `${group}/v1`,
    kind: "RoleBinding",
    metadata: { name: `${account}-${name}`, namespace },
    subjects,
    roleRef: { apiGroup: group, kind, name },
  });
  const rules = [{ apiGroups: [""], resources: ["namespaces"], verbs: ["get"], resourceNames: [namespace] }];
  await admin.create({ apiVersion: `${group}/v1`, kind: "Role", metadata: { name: "look", namespace }, rules });
  await admin.create(binding("Role", "look"));
  await admin.create(binding("ClusterRole", "admin"));
}

/** In a process of its own: another start in this one would meet what the first left open. */
async function start(kubeconfig: string): Promise<Caller> {
  const folder = mkdtempSync(join(tmpdir(), "slipway-account-"));
  const file = join(folder, "kubeconfig");
  writeFileSync(file, kubeconfig, { mode: 0o600 });
  const program = await startProgram({
    SLIPWAY_DATA_DIR: join(folder, "data"),
    SLIPWAY_ADMIN_TOKEN: adminToken,
    KUBECONFIG: file,
  });
  onTestFinished(async () => {
    await program.end("SIGTERM");
    rmSync(folder, { recursive: true, force: true });
  });
  const project = { project_name: "shop", project_key: "shop", is_public: false, project_type: "yaml" };
  await program.call("POST", "/openapi/projects/project", { body: project });
  const body = { service_name: "web", yaml: deploymentYaml("web", "web:1") };
  await program.call("POST", "/openapi/service/yaml/raw?projectKey=shop", { body });
  return program;
}

const environments = "/openapi/environments";
const environment = (name: string): object => ({
  ...environmentBody("dev", name),
  services: [{ service_name: "web", type: "k8s" }],
});

describe.skipIf(operator === undefined)("a cluster that is used as a service account", () => {
  beforeAll(async () => {
    admin = connect({ kind: "kubeconfig", text: operator?.text ?? "", trusted: true });
    await admin.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
  });

  afterAll(async () => {
    await admin.remove({ apiVersion: "v1", kind: "Namespace", name: namespace });
    admin.close();
  });

  test("without rights takes no environment, says why, and keeps nothing", async () => {
    const slipway = await start(await kubeconfigOf("powerless"));
    for (const name of [namespace, `${namespace}-new`]) {
      const { status, json } = await slipway.call<{ code: number; description: string }>(
        "POST",
        `${environments}?projectKey=shop`,
        { body: environment(name) },
      );
      expect({ status, code: json.code }).toEqual({ status: 400, code: 6074 });
      expect(json.description).toContain("the cluster refuses it");
      expect(json.description).toContain(`User "system:serviceaccount:${namespace}:powerless" cannot`);
      expect((await slipway.call("GET", `${environments}/dev?projectKey=shop`)).status).toBe(404);
    }
  });

  test("with the rights of one namespace runs an environment there, watches it and deletes it", async () => {
    const kubeconfig = await kubeconfigOf("tenant");
    await allow("tenant");
    const slipway = await start(kubeconfig);
    const created = await slipway.call("POST", `${environments}?projectKey=shop`, { body: environment(namespace) });
    expect(created.text).toBe('{"message":"success"}');
    await untilStatus(slipway, "shop", "dev", "running", 60);
    await slipway.call("DELETE", `${environments}/dev?projectKey=shop&isDelete=true`);
    await waitFor("the environment to be gone", async () => {
      return (await slipway.call("GET", `${environments}/dev?projectKey=shop`)).status === 404;
    });
    const { items } = await admin.list({ apiVersion: "apps/v1", kind: "Deployment" }, { namespace });
    expect(items).toEqual([]);
  });
});
