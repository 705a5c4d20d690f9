import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { connect } from "../../shared/kube/client/connect.ts";
import { readOperatorKubeconfig } from "../../shared/kube/client/endpoint/operatorKubeconfig.ts";
import { at } from "../../shared/manifest/workloads.ts";
import { localClusterId, untilStatus } from "../harness/boutique.ts";
import { definitionCallsOf } from "../harness/definitionCalls.ts";
import { addRegistry, endOf, releases, versionBody } from "../harness/deliveryVersions.ts";
import { distributionProgram, startDistribution } from "../harness/distribution.ts";
import { pushImageWithFile } from "../harness/pushImage.ts";
import { keySigner, signImage } from "../harness/signatures.ts";
import { startSlipway } from "../harness/slipway.ts";
import { ociIndex, type Pushed, pusher } from "../harness/testRegistry.ts";
import { waitFor } from "../harness/waitFor.ts";

const operator = await readOperatorKubeconfig(process.env);
/** Registry of a node that runs containers, as `host:port`; it holds `busybox:1`. */
const registry = process.env.SLIPWAY_NODE_REGISTRY;
const program = distributionProgram();

const hasProgram = (name: string, ...args: string[]): boolean => {
  try {
    execFileSync(name, args, { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
};

if (operator === undefined || registry === undefined || program === undefined || !hasProgram("skopeo", "--version")) {
  console.warn(
    "SKIPPED: a version from one real registry to another. Set KUBECONFIG and SLIPWAY_NODE_REGISTRY, the registry of a node that runs containers; install skopeo and docker-registry, as that node has them.",
  );
  describe.skip("versions on a real node: no node, no skopeo or no docker-registry", () => test("skipped", () => {}));
} else {
  const hasCosign = hasProgram("cosign", "version");
  if (!hasCosign) console.warn("There is no cosign: its signatures are made by the harness, in cosign's form.");

  /** What a registry has under a name, by a program that is not ours. */
  const raw = (image: string): string =>
    execFileSync("skopeo", ["inspect", "--raw", "--tls-verify=false", `docker://${image}`]).toString("latin1");

  /** Signs images of the node's registry with a new key. @returns the public key */
  const signAll = async (images: readonly { repository: string; image: Pushed }[]): Promise<string> => {
    if (!hasCosign) {
      const signer = keySigner();
      for (const one of images) await signImage(pusher(registry), { ...one, signer }, "old");
      return signer.publicKey;
    }
    const folder = await mkdtemp(join(tmpdir(), "slipway-cosign-"));
    const cosign = (...args: string[]) =>
      execFileSync("cosign", args, { cwd: folder, env: { ...process.env, COSIGN_PASSWORD: "" }, stdio: "pipe" });
    cosign("generate-key-pair");
    for (const { repository, image } of images) {
      const name = `${registry}/${repository}@${image.digest}`;
      cosign("sign", "--key", "cosign.key", "--tlog-upload=false", "--allow-http-registry", "--yes", name);
    }
    const key = await readFile(join(folder, "cosign.pub"), "utf8");
    await rm(folder, { recursive: true });
    return key;
  };

  /** Two containers, each of which serves the page that its image holds. */
  const manifest = (main: string, side: string): string =>
    [
      "apiVersion: apps/v1",
      "kind: Deployment",
      "metadata: { name: web }",
      "spec:",
      "  selector: { matchLabels: { app: web } }",
      "  template:",
      '    metadata: { labels: { app: web, slipway.test/real: "true" } }',
      "    spec:",
      "      terminationGracePeriodSeconds: 1",
      "      containers:",
      ...Object.entries({ main: [main, 8080], side: [side, 8081] }).flatMap(([name, [image, port]]) => [
        `        - name: ${name}`,
        `          image: ${image}`,
        `          command: [sh, -c, "mkdir /www; cp /page /www/index.html; exec httpd -f -p ${port} -h /www"]`,
        `          readinessProbe: { httpGet: { path: /, port: ${port} }, periodSeconds: 1 }`,
      ]),
    ].join("\n");

  test("a version of what runs reaches another registry byte by byte, and production by digest", async () => {
    const suffix = randomBytes(3).toString("hex");
    const [dev, rel] = [`dev-${suffix}`, "rel"];
    const second = await startDistribution(program);
    const settings = { SLIPWAY_OUTBOUND_ALLOW: "127.0.0.0/8,10.245.0.0/16" };
    const slipway = await startSlipway({ kubeconfig: operator.text, settings });
    const client = connect({ kind: "kubeconfig", text: operator.text, trusted: true });
    const calls = definitionCallsOf(slipway);
    const namespaces = { dev: `slipway-test-dev-${suffix}`, prod: `slipway-test-prod-${suffix}` };
    try {
      const push = pusher(registry);
      const page = async (repository: string, tag: string, content: string): Promise<Pushed> => {
        await pushImageWithFile(registry, {
          from: "library/busybox:1",
          to: `${repository}:${tag}`,
          file: "page",
          content,
        });
        const text = (await push.read(repository, tag)) ?? "";
        return push.manifest(repository, tag, JSON.parse(text));
      };
      const platform = (architecture: string) => ({ platform: { os: "linux", architecture } });
      const manifests = [
        { ...(await page(`${dev}/web`, "amd64", `web of version ${suffix}\n`)), ...platform("amd64") },
        { ...(await push.image(`${dev}/web`, "", { architecture: "arm64" })), ...platform("arm64") },
      ];
      const index = await push.manifest(`${dev}/web`, "1", { schemaVersion: 2, mediaType: ociIndex, manifests });
      const side = await page(`${dev}/side`, "1", `side of version ${suffix}\n`);
      await page(`${dev}/web`, "0", "web of before\n");
      await page(`${dev}/side`, "0", "side of before\n");
      const public_key = await signAll([
        { repository: `${dev}/web`, image: index },
        { repository: `${dev}/side`, image: side },
      ]);

      const project = { project_name: "shop", project_key: "shop", is_public: false, project_type: "yaml" };
      await calls.ok("POST", "/openapi/projects/project", project);
      await addRegistry(calls, registry, dev);
      const targetId = await addRegistry(calls, second.address, rel);
      const of = (tag: string) => manifest(`${registry}/${dev}/web:${tag}`, `${registry}/${dev}/side:${tag}`);
      const service = { service_name: "web" };
      const place = { cluster_id: localClusterId, registry_id: targetId };
      await calls.ok("POST", "/openapi/service/yaml/raw?projectKey=shop", { ...service, yaml: of("1") });
      await calls.ok("POST", "/openapi/service/yaml/production/raw?projectKey=shop", { ...service, yaml: of("0") });
      await calls.ok("POST", "/openapi/environments?projectKey=shop", {
        ...{ ...place, env_key: "dev", namespace: namespaces.dev, services: [service] },
      });
      await calls.ok("POST", "/openapi/environments/production?projectKey=shop", {
        ...{ ...place, env_key: "prod", namespace: namespaces.prod },
      });
      const production = "/openapi/environments/production";
      await waitFor(
        "production to take the service",
        async () => {
          const body = { env_key: "prod", service_list: [service] };
          return (await slipway.call("POST", `${production}/service/yaml?projectKey=shop`, { body })).status === 200;
        },
        60,
      );
      await untilStatus(slipway, "shop", "dev", "running", 90);

      interface Pod {
        pod_name: string;
        pod_ready: boolean;
        ip: string;
      }
      const pages = async (): Promise<string[]> => {
        const path = `${production}/prod/service/web/pods?projectKey=shop`;
        const { json } = await slipway.call<{ pods?: Pod[] }>("GET", path);
        const [pod, ...others] = json.pods ?? [];
        if (pod?.pod_ready !== true || others.length > 0) return [];
        const answers = await Promise.all([8080, 8081].map((port) => fetch(`http://${pod.ip}:${port}/`)));
        return Promise.all(answers.map(async (one) => `${one.status} ${await one.text()}`));
      };
      const serves = (...wanted: string[]) =>
        waitFor(
          `production to serve ${wanted.join(", ")}`,
          async () => JSON.stringify(await pages().catch(() => [])) === JSON.stringify(wanted),
          90,
        );
      await serves("200 web of before\n", "200 side of before\n");

      const verification = { enabled: true, public_key };
      await calls.ok("PUT", "/openapi/projects/project/verification?projectKey=shop", verification);
      const image = (container_name: string, name: string) => ({
        ...{ container_name, image_name: name, push_image: true, source_image: "", source_image_tag: "" },
        ...{ target_image: `${second.address}/${rel}/${name}:1.0`, target_image_tag: "1.0" },
      });
      const images = [image("main", "web"), image("side", "side")];
      await calls.ok("POST", `${releases}/k8s`, {
        ...versionBody("1.0", targetId, []),
        ...{ source: "from_env", env_name: "dev", services: [{ ...service, yaml_content: "", images }] },
      });
      const { id, error, services } = await endOf(slipway, "1.0");
      expect(error).toBe("");
      expect(services[0]?.images.map(({ digest }) => digest)).toEqual([index.digest, side.digest]);

      const signature = ({ digest }: Pushed) => `:${digest.replace(":", "-")}.sig`;
      const names = [
        ["web", ":1", ":1.0"],
        ...manifests.map(({ digest }) => ["web", `@${digest}`, `@${digest}`]),
        ["web", signature(index), signature(index)],
        ["side", ":1", ":1.0"],
        ["side", signature(side), signature(side)],
      ] as const;
      for (const [name, from, to] of names)
        expect(raw(`${second.address}/${rel}/${name}${to}`), `${name}${to}`).toBe(
          raw(`${registry}/${dev}/${name}${from}`),
        );

      const promised = [
        `${second.address}/${rel}/web:1.0@${index.digest}`,
        `${second.address}/${rel}/side:1.0@${side.digest}`,
      ];
      await calls.ok("POST", `${releases}/${id}/deploy?projectKey=shop`, { env_key: "prod", production: true });
      await serves(`200 web of version ${suffix}\n`, `200 side of version ${suffix}\n`);
      const ref = { apiVersion: "apps/v1", kind: "Deployment", name: "web", namespace: namespaces.prod };
      const containers = at(await client.get(ref), ["spec", "template", "spec", "containers"]) as { image: string }[];
      expect(containers.map((one) => one.image)).toEqual(promised);
      // What the node pulled is what was promised: it names an image by where it first had its bytes from, so these are new.
      const { items } = await client.list({ apiVersion: "v1", kind: "Pod" }, { namespace: namespaces.prod });
      const running = items.flatMap((pod) => at(pod, ["status", "containerStatuses"]) as { imageID: string }[]);
      expect(running.map(({ imageID }) => imageID.split("@")[1]).sort()).toEqual([index.digest, side.digest].sort());
    } finally {
      for (const name of Object.values(namespaces)) await client.remove({ apiVersion: "v1", kind: "Namespace", name });
      client.close();
      await slipway.close();
      await second.close();
    }
  }, 240_000);
}
