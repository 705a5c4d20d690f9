import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { load } from "js-yaml";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { parseOutboundPolicy } from "../../../../shared/base/settings/outboundPolicy.ts";
import { connect } from "../../../../shared/kube/client/connect.ts";
import { checkKubeconfig } from "../../../../shared/kube/client/endpoint/checkKubeconfig.ts";
import { operatorEndpoint } from "../../../../shared/kube/client/endpoint/operatorEndpoint.ts";
import { readOperatorKubeconfig } from "../../../../shared/kube/client/endpoint/operatorKubeconfig.ts";
import { testCertificate } from "./testCertificate.ts";

const config = (change: { cluster?: object; user?: object; context?: object; top?: object } = {}) => ({
  apiVersion: "v1",
  kind: "Config",
  "current-context": "main",
  clusters: [{ name: "c", cluster: { server: "https://cluster.example.com:6443", ...change.cluster } }],
  users: [{ name: "u", user: { token: "the-secret-token", ...change.user } }],
  contexts: [{ name: "main", context: { cluster: "c", user: "u", ...change.context } }],
  ...change.top,
});
const check = (change: Parameters<typeof config>[0]) => checkKubeconfig(JSON.stringify(config(change)));

describe("a kubeconfig that arrives by API", () => {
  it("is taken when it carries everything itself", () => {
    expect(check({})).toEqual([]);
    expect(check({ user: { token: undefined, username: "u", password: "p" } })).toEqual([]);
    const base64 = (text: string) => Buffer.from(text).toString("base64");
    const [cert, key] = [base64(testCertificate.cert), base64(testCertificate.key)];
    const cluster = { "certificate-authority-data": cert };
    expect(check({ cluster, user: { "client-certificate-data": cert, "client-key-data": key } })).toEqual([]);
  });

  it.each<[string, Parameters<typeof config>[0]]>([
    ["users[0].user.exec", { user: { exec: { command: "id" } } }],
    ["users[0].user.auth-provider", { user: { "auth-provider": { name: "gcp" } } }],
    ["users[0].user.client-certificate", { user: { "client-certificate": "/etc/cert" } }],
    ["users[0].user.client-key", { user: { "client-key": "/etc/key" } }],
    ["users[0].user.tokenFile", { user: { tokenFile: "/var/run/secrets/token" } }],
    ["users[0].user.as", { user: { as: "admin" } }],
    ["users[0].user.as-groups", { user: { "as-groups": ["system:masters"] } }],
    ["users[0].user.client-certificate-data", { user: { "client-certificate-data": "bm90IHBlbQ==" } }],
    ["users[0].user", { user: { "client-certificate-data": "bm90IHBlbQ==" } }],
    ["clusters[0].cluster.certificate-authority", { cluster: { "certificate-authority": "/etc/ca" } }],
    ["clusters[0].cluster.certificate-authority-data", { cluster: { "certificate-authority-data": "bm90IHBlbQ==" } }],
    ["clusters[0].cluster.proxy-url", { cluster: { "proxy-url": "http://proxy" } }],
    ["clusters[0].cluster.server", { cluster: { server: "file:///etc" } }],
    ["clusters[0].cluster.server", { cluster: { server: "https://u:p@cluster.example.com" } }],
    ["current-context", { top: { "current-context": "other" } }],
    ["current-context", { top: { "current-context": undefined } }],
    ["contexts[0].context.cluster", { context: { cluster: "other" } }],
    ["contexts[0].context.user", { context: { user: "other" } }],
    ["clusters", { top: { clusters: [] } }],
  ])("is refused for %s, saying what would be right and quoting no secret", (path, change) => {
    const problems = check(change);
    expect(problems.map((problem) => problem.path)).toContain(path);
    for (const { wrong, right } of problems) {
      expect(wrong).not.toBe("");
      expect(right).not.toBe("");
    }
    expect(JSON.stringify(problems)).not.toContain("the-secret-token");
  });

  it("tells all its problems at once, in entries that are not used too", () => {
    const problems = checkKubeconfig(
      JSON.stringify({
        ...config({ cluster: { "proxy-url": "http://proxy" } }),
        users: [
          { name: "u", user: {} },
          { name: "unused", user: { exec: { command: "id" } } },
        ],
      }),
    );
    expect(problems.map(({ path }) => path)).toEqual(["clusters[0].cluster.proxy-url", "users[1].user.exec"]);
  });

  it.each([
    ["too long", `# ${"x".repeat(300_000)}`],
    ["no YAML", "{ token: the-secret-token"],
    ["several documents", "a: 1\n---\nb: the-secret-token"],
    ["aliases", "a: &a [the-secret-token]\nb: *a"],
    ["a list", "- the-secret-token"],
    ["empty", ""],
  ])("that is %s is refused without quoting it", (_name, text) => {
    const problems = checkKubeconfig(text);
    expect(problems.length).toBeGreaterThan(0);
    expect(JSON.stringify(problems)).not.toContain("the-secret-token");
  });

  it("is checked again when it is used, and runs nothing", async () => {
    const text = JSON.stringify(config({ user: { exec: { command: "touch", args: ["/nonexistent/x"] } } }));
    const client = connect({ kind: "kubeconfig", text, trusted: false, policy: parseOutboundPolicy("0.0.0.0/0") });
    await expect(client.version()).rejects.toMatchObject({
      name: "ClusterCredentialsInvalid",
      message: expect.stringContaining("users[0].user.exec names a program to run"),
    });
  });

  it("reaches no private address", async () => {
    const text = JSON.stringify(config({ cluster: { server: "https://127.0.0.1:6443" } }));
    const client = connect({ kind: "kubeconfig", text, trusted: false, policy: parseOutboundPolicy("") });
    await expect(client.version()).rejects.toMatchObject({ name: "ClusterAddressRefused" });
  });
});

describe("the operator's KUBECONFIG", () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "kubeconfig-"));
  });
  afterEach(() => rm(folder, { recursive: true }));
  const write = async (name: string, content: unknown) => {
    const path = join(folder, name);
    await writeFile(path, typeof content === "string" ? content : JSON.stringify(content));
    return path;
  };

  it("is absent when nothing is set", async () => {
    expect(await readOperatorKubeconfig({})).toBeUndefined();
  });

  it("inlines files that stand beside it and keeps the current context alone", async () => {
    await write("ca.pem", "authority");
    await write("token", "from-file\n");
    const file = await write("config", {
      ...config({ cluster: { "certificate-authority": "ca.pem" } }),
      users: [
        { name: "u", user: { tokenFile: "token" } },
        { name: "unused", user: { token: "other" } },
      ],
    });
    const found = await readOperatorKubeconfig({ KUBECONFIG: file });
    expect(found).toMatchObject({ contextName: "main", server: "https://cluster.example.com:6443" });
    expect(load(found?.text ?? "")).toMatchObject({
      clusters: [{ cluster: { "certificate-authority-data": Buffer.from("authority").toString("base64") } }],
      users: [{ name: "u", user: { token: "from-file" } }],
    });
    expect(found?.text).not.toContain("tokenFile");
    expect(found?.text).not.toContain("unused");
  });

  it("merges several files, the first mention of a name winning, absent ones left out", async () => {
    const first = await write("first", { "current-context": "main", clusters: config({}).clusters });
    const second = await write("second", config({ cluster: { server: "https://later.example.com" } }));
    const files = [first, join(folder, "absent"), second].join(delimiter);
    const found = await readOperatorKubeconfig({ KUBECONFIG: files });
    expect(found?.server).toBe("https://cluster.example.com:6443");
    expect(found?.text).toContain("the-secret-token");
  });

  it.each([
    ["a file that is absent", async () => join(folder, "absent"), /absent cannot be read/],
    ["text that is no YAML", async () => write("broken", "{"), /broken: the file is not readable/],
    [
      "an authority that is absent",
      async () => write("noca", config({ cluster: { "certificate-authority": "no.pem" } })),
      /noca: certificate-authority/,
    ],
    [
      "an unknown context",
      async () => write("nocontext", config({ top: { "current-context": "x" } })),
      /"x" leads to no cluster; contexts: main/,
    ],
  ])("that has %s is refused naming it", async (_name, file, message) => {
    await expect(readOperatorKubeconfig({ KUBECONFIG: await file() })).rejects.toThrow(message);
  });

  it("runs its login program, beside the file, as kubectl would", async () => {
    const credential = {
      apiVersion: "client.authentication.k8s.io/v1",
      kind: "ExecCredential",
      status: { token: "from-program" },
    };
    const script = await write(
      "login",
      `#!/bin/sh\ntest -n "$KUBERNETES_EXEC_INFO" && test "$WHO" = me && echo '${JSON.stringify(credential)}'\n`,
    );
    await chmod(script, 0o700);
    const exec = { apiVersion: credential.apiVersion, command: "./login", env: [{ name: "WHO", value: "me" }] };
    const file = await write("config", { ...config(), users: [{ name: "u", user: { exec } }] });
    const found = await readOperatorKubeconfig({ KUBECONFIG: file });
    const endpoint = await operatorEndpoint(found?.text ?? "");
    expect(await endpoint.authorize()).toEqual({ authorization: "Bearer from-program" });
    expect(endpoint.rule).toBe("unchecked");
  });

  it("says so when its login program fails", async () => {
    const exec = { apiVersion: "client.authentication.k8s.io/v1", command: "false" };
    const file = await write("config", { ...config(), users: [{ name: "u", user: { exec } }] });
    const found = await readOperatorKubeconfig({ KUBECONFIG: file });
    const client = connect({ kind: "kubeconfig", text: found?.text ?? "", trusted: true });
    await expect(client.version()).rejects.toMatchObject({ name: "ClusterCredentialsInvalid" });
  });
});
