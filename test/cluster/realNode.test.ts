import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ClusterClient } from "../../shared/kube/client/ClusterClient.ts";
import { connect } from "../../shared/kube/client/connect.ts";
import { readOperatorKubeconfig } from "../../shared/kube/client/endpoint/operatorKubeconfig.ts";
import { localClusterId, untilStatus } from "../harness/boutique.ts";
import { openStream } from "../harness/eventStream.ts";
import { pushImageWithFile } from "../harness/pushImage.ts";
import { type Slipway, startSlipway } from "../harness/slipway.ts";
import { waitFor } from "../harness/waitFor.ts";

const operator = await readOperatorKubeconfig(process.env);
/** Registry of a node that runs containers, as `host:port`; it holds `busybox:1`. */
const registry = process.env.SLIPWAY_NODE_REGISTRY;

const environments = "/openapi/environments";
const success = '{"message":"success"}';

/** Serves the page that its image holds, and counts in its log. */
const web = `
apiVersion: apps/v1
kind: Deployment
metadata: { name: web }
spec:
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec:
      terminationGracePeriodSeconds: 1
      containers:
        - name: main
          image: busybox:1
          command: [sh, -c]
          args:
            - |
              mkdir /www
              if [ -f /page ]; then cp /page /www/index.html; else echo "page of busybox:1" > /www/index.html; fi
              i=0
              while true; do i=$((i+1)); echo "tick $i"; sleep 0.5; done &
              exec httpd -f -v -p 8080 -h /www
          readinessProbe: { httpGet: { path: /, port: 8080 }, periodSeconds: 1 }
`;

if (operator === undefined || registry === undefined) {
  console.warn(
    "SKIPPED: real containers. Set KUBECONFIG and SLIPWAY_NODE_REGISTRY, the registry of a node that runs them.",
  );
  describe.skip("real containers: KUBECONFIG or SLIPWAY_NODE_REGISTRY is not set", () => test("skipped", () => {}));
} else {
  const kubeconfig = operator.text;
  const second = `${registry}/library/busybox:2`;
  describe("real containers", () => {
    let slipway: Slipway;
    let client: ClusterClient;
    const namespace = `slipway-test-${randomBytes(4).toString("hex")}`;

    interface Pod {
      pod_name: string;
      pod_ready: boolean;
      ip: string;
      images: string[];
    }

    const ask = async (method: string, path: string, body?: unknown) => {
      expect((await slipway.call(method, path, { body })).text).toBe(success);
    };
    /** The one pod that is ready, once there is exactly one. */
    const servingPod = (image: string): Promise<Pod> =>
      waitFor(
        `one pod of ${image}`,
        async () => {
          const path = `${environments}/dev/service/web/pods?projectKey=shop`;
          const { pods } = (await slipway.call<{ pods: Pod[] }>("GET", path)).json;
          const [pod, ...others] = pods;
          return others.length === 0 && pod?.pod_ready === true && pod.images.includes(image) && pod;
        },
        60,
      );
    const pageOf = async ({ ip }: Pod) => {
      const answer = await fetch(`http://${ip}:8080/`);
      return `${answer.status} ${await answer.text()}`;
    };

    beforeAll(async () => {
      slipway = await startSlipway({ kubeconfig });
      client = connect({ kind: "kubeconfig", text: kubeconfig, trusted: true });
      const page = { file: "page", content: "page of busybox:2\n" };
      await pushImageWithFile(registry, { from: "library/busybox:1", to: "library/busybox:2", ...page });
      const project = { project_name: "shop", project_key: "shop", is_public: false, project_type: "yaml" };
      await ask("POST", "/openapi/projects/project", project);
      await ask("POST", "/openapi/service/yaml/raw?projectKey=shop", { service_name: "web", yaml: web });
      await ask("POST", `${environments}?projectKey=shop`, {
        ...{ env_key: "dev", namespace, cluster_id: localClusterId, registry_id: "0123456789abcdef12345679" },
        services: [{ service_name: "web" }],
      });
      await untilStatus(slipway, "shop", "dev", "running", 90);
    });

    afterAll(async () => {
      await client.remove({ apiVersion: "v1", kind: "Namespace", name: namespace });
      client.close();
      await slipway.close();
    });

    test("serve their page and send their log line by line while it is written", async () => {
      const pod = await servingPod("busybox:1");
      const path = `/openapi/logs/sse/pods/${pod.pod_name}/containers/main?projectKey=shop&envName=dev&tails=1`;
      const stream = await openStream(slipway.runtime.url, path);
      expect(stream.status).toBe(200);
      // Between them stand the requests of the probe.
      const ticks = () => stream.events().flatMap(({ data }) => /^tick (\d+)$/.exec(data)?.slice(1).map(Number) ?? []);
      const arrivals: number[] = [];
      for (let count = 1; count <= 4; count += 1) {
        await waitFor(`${count} ticks`, async () => ticks().length >= count);
        arrivals.push(Date.now());
      }
      const [first = 0, ...more] = ticks();
      expect(more.slice(0, 3)).toEqual([first + 1, first + 2, first + 3]);
      // Written half a second apart: had they come together, nothing would lie between them.
      expect((arrivals[3] ?? 0) - (arrivals[0] ?? 0)).toBeGreaterThan(250);
      expect(await pageOf(pod)).toBe("200 page of busybox:1\n");
      const asked = () => stream.events().some(({ data }) => data.includes("response:200"));
      await waitFor("the request in the log", async () => asked());
      stream.leave();
    });

    test("show the page of another image after its update, and the first one after the rollback", async () => {
      await ask("POST", `${environments}/image/deployment/dev`, {
        ...{ product_name: "shop", service_name: "web", name: "web", container_name: "main", image: second },
      });
      const changed = await servingPod(second);
      expect(await pageOf(changed)).toBe("200 page of busybox:2\n");
      const path = `${environments}/dev/service/web/versions`;
      const versions = await slipway.call<{ revision: number; images: string[] }[]>("GET", `${path}?projectKey=shop`);
      const first = versions.json.find(({ images }) => images.includes("busybox:1"));
      await ask("POST", `${path}/${first?.revision}/rollback?projectKey=shop`);
      const back = await servingPod("busybox:1");
      expect(await pageOf(back)).toBe("200 page of busybox:1\n");
    });

    test("end their stream when they are gone", async () => {
      const pod = await servingPod("busybox:1");
      const path = `/openapi/logs/sse/pods/${pod.pod_name}/containers/main?projectKey=shop&envName=dev`;
      const stream = await openStream(slipway.runtime.url, path);
      await stream.lines(2);
      await ask("POST", `${environments}/dev/pod/${pod.pod_name}/restart?projectKey=shop`);
      await stream.ended();
    });
  });
}
