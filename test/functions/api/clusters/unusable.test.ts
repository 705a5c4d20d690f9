import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { selfSignedCertificate } from "../../../../infra/local/cluster/http/certificate.ts";
import { type ClusterCalls, startForClusters } from "./clusterCalls.ts";
import { kubeconfig, oneNamespace, refusing, serve } from "./clusterFixtures.ts";

let slipway: ClusterCalls;

beforeAll(async () => {
  slipway = await startForClusters();
});

afterAll(() => slipway.close());

describe("a kubeconfig that would do something else is refused by the name of its field", () => {
  const server = "https://127.0.0.1:1";

  test.each([
    ["users[0].user.exec", kubeconfig(server, { exec: { apiVersion: "v1", command: "touch", args: ["/tmp/owned"] } })],
    ["users[0].user.auth-provider", kubeconfig(server, { "auth-provider": { name: "gcp" } })],
    ["users[0].user.client-certificate", kubeconfig(server, { "client-certificate": "/etc/ssl/client.pem" })],
    ["users[0].user.client-key", kubeconfig(server, { "client-key": "/etc/ssl/client.key" })],
    ["users[0].user.tokenFile", kubeconfig(server, { tokenFile: "/etc/passwd" })],
    ["clusters[0].cluster.certificate-authority", kubeconfig(server, {}, { "certificate-authority": "/etc/ca.pem" })],
    ["clusters[0].cluster.proxy-url", kubeconfig(server, {}, { "proxy-url": "http://127.0.0.1:3128" })],
  ])("%s", async (field, text) => {
    const { code, extra } = await slipway.refused({ name: "tricky", type: "kubeconfig", kube_config: text });
    expect(code).toBe(400);
    expect(extra.problems?.map((problem) => problem.path)).toContain(`kube_config.${field}`);
  });

  test.each([
    ["no YAML", "{{{"],
    ["64 KB of YAML", `current-context: ${"x".repeat(65_536)}`],
    ["a text", "hello"],
    ["a list", "[]"],
    ["two contexts that lead nowhere", "current-context: x\nclusters: []\ncontexts: []\n"],
    ["an alias bomb", `a: &a [${"x,".repeat(9)}x]\nb: [${"*a,".repeat(9)}*a]\ncurrent-context: x\n`],
  ])("%s is no kubeconfig", async (_, text) => {
    const { extra } = await slipway.refused({ name: "garbled", type: "kubeconfig", kube_config: text });
    expect(extra.problems?.every(({ path: field }) => field.startsWith("kube_config"))).toBe(true);
  });
});

describe("a cluster that cannot be used is refused with the reason", () => {
  const reasonOf = async (text: string): Promise<string> => {
    const { extra } = await slipway.refused({ name: "unusable", type: "kubeconfig", kube_config: text });
    expect(extra.problems).toHaveLength(1);
    expect(extra.problems?.[0]).toMatchObject({ in: "body", path: "kube_config" });
    return extra.problems?.[0]?.problem ?? "";
  };

  test("unreachable", async () => {
    expect(await reasonOf(kubeconfig("https://127.0.0.1:9"))).toContain("the cluster does not answer");
  });

  test("401", async () => {
    const wrongToken = slipway.sandbox.replace(/token: .*/, 'token: "wrong"');
    expect(await reasonOf(wrongToken)).toMatch(/the cluster refuses it .*Unauthorized.*credentials/);
  });

  test("403", async () => {
    const api = await serve(refusing(403, "Forbidden", 'namespaces is forbidden: User "x" cannot list'));
    expect(await reasonOf(kubeconfig(api.url))).toContain("namespaces is forbidden");
  });

  test("an expired certificate", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: new Date("2001-01-01") });
    const expired = selfSignedCertificate("old");
    vi.useRealTimers();
    const api = await serve(oneNamespace, expired);
    const authority = { "certificate-authority-data": Buffer.from(expired.certificate).toString("base64") };
    expect(await reasonOf(kubeconfig(api.url, {}, authority))).toContain("certificate has expired");
    expect(api.requests()).toBe(0);
  });

  test("a certificate of somebody else", async () => {
    const api = await serve(oneNamespace, selfSignedCertificate("other"));
    expect(await reasonOf(kubeconfig(api.url))).toContain("certificate is not valid");
  });

  test("something that is no Kubernetes", async () => {
    const api = await serve((_, response) => response.end("<html>welcome</html>"));
    expect(await reasonOf(kubeconfig(api.url))).toContain("no Kubernetes API server answers there");
  });

  test.each(["https://10.1.2.3:6443", "https://169.254.169.254", "https://[::1]:6443"])(
    "the address %s, which the operator did not allow",
    async (server) => {
      expect(await reasonOf(kubeconfig(server))).toContain("address is not allowed");
    },
  );
});
