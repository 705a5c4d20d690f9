import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { textOfPieces } from "../../shared/base/common/timedLines.ts";
import { nowSeconds } from "../../shared/base/store/ids.ts";
import { readOperatorKubeconfig } from "../../shared/kube/client/endpoint/operatorKubeconfig.ts";
import { collectContainerJob } from "../../shared/workflows/pods/collectContainerJob.ts";
import { followContainerLog } from "../../shared/workflows/pods/followContainerLog.ts";
import { removeContainerJob } from "../../shared/workflows/pods/removeContainerJob.ts";
import type { ContainerJob, ContainerJobRef, ContainerStep } from "../../shared/workflows/pods/rules/containerJob.ts";
import { storeContainerLog } from "../../shared/workflows/pods/storeContainerLog.ts";
import { type GitServer, hasGit, startGitServer } from "../harness/gitServer.ts";
import { type JobHarness, script, startJobHarness, storedText, textOf } from "../harness/jobHarness.ts";
import { waitFor } from "../harness/waitFor.ts";

const operator = await readOperatorKubeconfig(process.env);
/** Registry of a node that runs containers, as `host:port`; it holds `busybox:1`, `toolbox:1` and BuildKit. */
const registry = process.env.SLIPWAY_NODE_REGISTRY;
const password = "glpat-tok3n+with/signs";

if (operator === undefined || registry === undefined || !hasGit) {
  console.warn("SKIPPED: jobs in real containers. Set KUBECONFIG and SLIPWAY_NODE_REGISTRY; git must be installed.");
  describe.skip("jobs in real containers: KUBECONFIG or SLIPWAY_NODE_REGISTRY is not set", () =>
    test("skipped", () => {}));
} else {
  describe("a job in real containers", () => {
    const namespace = `slipway-jobs-${randomBytes(4).toString("hex")}`;
    let harness: JobHarness;
    let server: GitServer;

    const gitStep = (): ContainerStep => ({
      kind: "git",
      name: "git",
      repositories: [
        {
          address: `${server.url}/shop/web.git`,
          access: { kind: "password", username: "oauth2", password },
          checkoutPath: "web",
          remoteName: "origin",
          ...{ tag: "", commitId: "", branch: "main", mergeBranches: [], pullRequests: [] },
          ...{ pullRefs: "merge-requests", submodules: false, disableSsl: false, commitVariable: "" },
        },
      ],
    });
    const live = (ref: ContainerJobRef): Promise<string> =>
      textOf(textOfPieces(followContainerLog(ref, { tailLines: 1000, signal: AbortSignal.timeout(110_000) })));
    const run = async (job: ContainerJob) => {
      const ref = await harness.start(job);
      const seen = live(ref);
      await harness.ended(ref);
      const options = { deadline: nowSeconds() + 600, outputs: job.outputs, passRate: 50 };
      const collected = await collectContainerJob(ref, options);
      await storeContainerLog(ref, "jobs/real.log");
      const stored = await storedText("jobs/real.log");
      expect(await seen).toBe(stored);
      await removeContainerJob(ref);
      return { ...collected, log: stored };
    };

    beforeAll(async () => {
      server = await startGitServer({ host: registry.split(":")[0] ?? "", password });
      const web = server.repository("shop/web.git");
      web.commit("main", {
        Dockerfile: `FROM ${registry}/library/busybox:1\nARG GREETING\nRUN echo "$GREETING" > /greeting\nCOPY page /page\n`,
        page: "page of the repository\n",
      });
      harness = await startJobHarness({
        kubeconfig: operator.text,
        settings: {
          SLIPWAY_JOBS_NAMESPACE: namespace,
          SLIPWAY_IMAGE_GIT: "toolbox:1",
          SLIPWAY_IMAGE_TOOLS: "toolbox:1",
          SLIPWAY_IMAGE_BUILDKIT: "moby/buildkit:v0.25.2",
        },
      });
      const labels = { "slipway.test/real": "true" };
      await harness.client.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace, labels } });
    });

    afterAll(async () => {
      await harness.client.remove({ apiVersion: "v1", kind: "Namespace", name: namespace });
      await Promise.all([harness.close(), server.close()]);
    });

    test("clones, runs its script, builds an image and pushes it, and shows no secret", async () => {
      const image = `${registry}/shop/web:${randomBytes(4).toString("hex")}`;
      const build: ContainerStep = {
        kind: "imageBuild",
        name: "image",
        image,
        contextDirectory: "$WORKSPACE/web",
        dockerfile: "Dockerfile",
        buildArgs: '--build-arg GREETING="hello  $(id) $TOKEN"',
        platforms: "",
        cacheImage: `${registry}/shop/web:cache`,
      };
      const text = `
        cat web/page
        echo "secret: $TOKEN"
        SIZE=$(wc -c < web/page)
        printf x >> web/page`;
      const collected = await run(
        harness.job([gitStep(), script(text), build], {
          env: [
            { name: "WORKSPACE", value: "/workspace" },
            { name: "IMAGE", value: image },
          ],
          secretEnv: [{ name: "TOKEN", value: "s3cr3t-of-the-job" }],
          outputs: ["IMAGE", "SIZE"],
          registries: [
            {
              address: `http://${registry}`,
              username: "ada",
              password: "pa55word",
              tlsCertificate: "",
              tlsEnabled: true,
            },
          ],
        }),
      );
      expect(collected, collected.log.slice(-2000)).toMatchObject({
        outcome: "passed",
        error: "",
        outputs: { IMAGE: image, SIZE: "23" },
      });
      expect(collected.log).toContain("page of the repository\nsecret: ******\n");
      for (const secret of [password, "s3cr3t-of-the-job", "pa55word"]) expect(collected.log).not.toContain(secret);
      const [, path = "", tag = ""] = /^[^/]+\/(.+):([^:]+)$/.exec(image) ?? [];
      const accept = "application/vnd.oci.image.manifest.v1+json, application/vnd.docker.distribution.manifest.v2+json";
      const manifest = await fetch(`http://${registry}/v2/${path}/manifests/${tag}`, { headers: { accept } });
      expect([manifest.status, ((await manifest.json()) as { layers: unknown[] }).layers.length]).toEqual([200, 3]);
      const built = await run(harness.job([{ ...script("cat /greeting /page"), image } as ContainerStep]));
      expect(built.log).toBe("hello  $(id) s3cr3t-of-the-job\npage of the repository\nx");
    });

    test("keeps its report and its outputs when its script fails, in an image that has nothing but sh", async () => {
      const suite = '<testsuite tests="4" failures="1"><testcase name="a"/></testsuite>';
      const text = `mkdir out; echo '${suite}' > out/a.xml; FOUND=yes; exit 9`;
      const value = "v".repeat(3000);
      const steps = [
        gitStep(),
        script(text, "tests"),
        script("echo never", "later"),
        { ...script("echo $PWD", "end"), always: true } as ContainerStep,
      ];
      const job = harness.job(steps, {
        outputs: ["FOUND", "BIG"],
        reportDirectory: "out",
        env: [{ name: "BIG", value }],
      });
      const { outcome, error, outputs, report, log } = await run(job);
      expect([outcome, error]).toEqual(["failed", "step tests ended with exit code 9"]);
      expect(outputs).toEqual({ FOUND: "yes", BIG: value });
      // The case that is there counts, and not what the header says.
      expect([report?.testCaseNum, report?.successCaseNum]).toEqual([1, 1]);
      expect(log).toMatch(/\/workspace\n$/);
      expect(log).not.toContain("never");
    });

    test("is told of when it is over time, and leaves nothing when it is removed", async () => {
      const job = harness.job([script("echo begun; sleep 600")], { secretEnv: [{ name: "A", value: "bcd" }] });
      const ref = await harness.start(job);
      const seen = live(ref);
      const pods = async (): Promise<unknown[]> => {
        const query = { namespace, labelSelector: `s-name=${ref.name}` };
        return (await harness.client.list({ apiVersion: "v1", kind: "Pod" }, query)).items;
      };
      await waitFor("its pod", async () => (await pods()).length === 1);
      const deadline = nowSeconds() + 5;
      await harness.ended(ref, deadline);
      const { outcome } = await collectContainerJob(ref, { deadline, outputs: [] });
      expect(outcome).toBe("timeout");
      await removeContainerJob(ref);
      await waitFor("no pod", async () => (await pods()).length === 0, 60);
      // A kubelet says in the log itself that it has removed the container, unless the stream has ended before.
      expect(await seen).toMatch(/^begun\n(?:rpc error: code = NotFound .*not found)?$/);
      const secrets = { namespace, labelSelector: `s-name=${ref.name}` };
      expect((await harness.client.list({ apiVersion: "v1", kind: "Secret" }, secrets)).items).toEqual([]);
    });

    test("names the step whose process was killed for its memory, though it went on", async () => {
      const step = script("dd bs=200M count=1 if=/dev/zero of=/dev/null; echo went on", "greedy");
      const ref = await harness.start(harness.job([step], { resources: { memoryLimitMib: 32, gpuLimit: "" } }));
      await harness.ended(ref);
      const { outcome, error } = await collectContainerJob(ref, { deadline: nowSeconds() + 600, outputs: [] });
      expect([outcome, error]).toEqual(["failed", expect.stringMatching(/^step greedy .*OOMKilled/)]);
      await removeContainerJob(ref);
    });
  });
}
