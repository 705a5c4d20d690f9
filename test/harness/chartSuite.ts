import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type HelmCommand,
  helmCommand,
  makeChartEnvironment,
  makeChartProject,
  readStoredChart,
  storedStatusOf,
  untilChanged,
} from "./chartProject.ts";
import { chartFiles, packedChart } from "./packedChart.ts";
import type { Answer, Slipway } from "./slipway.ts";
import { waitFor } from "./waitFor.ts";

interface Detail {
  status: string;
  error: string;
  services: {
    service_name: string;
    type: string;
    status: string;
    error: string;
    containers: { name: string; image: string }[];
  }[];
}

const success = '{"message":"success"}';

/** What charts do to a cluster, told by Helm itself: the same on every cluster. */
export function chartSuite(cluster: string, open: () => Promise<{ slipway: Slipway; kubeconfig: string }>): void {
  let slipway: Slipway;
  let command: HelmCommand;
  const namespace = `slipway-test-${randomBytes(4).toString("hex")}`;
  const helm = (...args: string[]) => command.run(namespace, ...args);

  beforeAll(async () => {
    const standing = await open();
    slipway = standing.slipway;
    command = helmCommand(standing.kubeconfig);
    await makeChartProject(slipway, "charts", chartFiles("1.0.0"));
    await readStoredChart(slipway, "charts", { service_name: "web", values_yaml: "color: green" });
    await makeChartEnvironment(slipway, "charts", { env_name: "dev", namespace });
    await untilDone();
  });

  afterAll(() => command.close());

  const detail = async () => (await slipway.call<Detail>("GET", "/openapi/environments/dev?projectKey=charts")).json;

  async function untilDone(): Promise<Detail> {
    await untilChanged(slipway, "charts", "dev");
    return detail();
  }

  const storedStatus = () => storedStatusOf(slipway, "charts", "dev");

  function deploy(service: object): Promise<Answer<unknown>> {
    const body = { services: [{ service_name: "web", ...service }] };
    return slipway.call("POST", "/openapi/environments/helm/dev/services?projectKey=charts", { body });
  }

  const history = async (): Promise<{ revision: number; status: string; description: string }[]> =>
    JSON.parse(await helm("history", "web", "-o", "json"));

  describe(`a chart on ${cluster}`, () => {
    test("is a release that the helm command shows", async () => {
      expect((await deploy({})).status).toBe(200);
      const { services } = await untilDone();
      expect(services).toMatchObject([{ service_name: "web", type: "helm", error: "" }]);
      expect(JSON.parse(await helm("list", "-o", "json"))).toMatchObject([
        { name: "web", status: "deployed", revision: "1" },
      ]);
      expect(await helm("get", "values", "web")).toContain("color: green");
    });

    test("takes values of the environment over those of the service, and keeps them", async () => {
      await deploy({ values_yaml: "color: blue", override_kvs: [{ key: "extra.deep[0]", value: "x" }] });
      await untilDone();
      expect(await helm("get", "values", "web")).toMatch(/color: blue[\s\S]*deep:\s*- x/);
      const url = "/openapi/environments/service/values?projectKey=charts&envName=dev&serviceName=web";
      expect((await slipway.call("GET", url)).text).toContain("color: blue");
      await deploy({ override_kvs: [{ key: "color", value: "red" }] });
      await untilDone();
      expect(await helm("get", "values", "web")).toMatch(/color: red[\s\S]*deep:\s*- x/);
    });

    test("that did not change is not upgraded", async () => {
      const before = (await history()).length;
      await deploy({});
      await untilDone();
      expect(await history()).toHaveLength(before);
    });

    test("takes another image into its values", async () => {
      const body = {
        ...{ product_name: "charts", service_name: "web", name: "web", container_name: "main" },
        image: "registry.example.com/team/web:v2",
      };
      const url = "/openapi/environments/image/deployment/dev?projectKey=charts";
      expect((await slipway.call("POST", url, { body })).text).toBe(success);
      const { services } = await untilDone();
      expect(await helm("get", "values", "web")).toContain("tag: v2");
      expect(services[0]?.containers).toMatchObject([{ name: "web", image: "registry.example.com/team/web:v2" }]);
    });

    test("that its templates or its schema refuse is not accepted, and why is told", async () => {
      const failed = await deploy({ override_kvs: [{ key: "fail", value: true }] });
      expect(failed.status).toBe(400);
      expect(failed.text).toContain("asked to fail");
      const wrong = await deploy({ override_kvs: [{ key: "replicaCount", value: "many" }] });
      expect(wrong.status).toBe(400);
      expect(wrong.text).toContain("replicaCount");
      expect(wrong.text).not.toContain("127.0.0.1");
    });

    test("shows what another deployment would change, and changes nothing", async () => {
      const before = await history();
      const url = "/openapi/environments/helm/dev/services?projectKey=charts&dryRun=true";
      const body = { services: [{ service_name: "web", override_kvs: [{ key: "color", value: "purple" }] }] };
      const preview = await slipway.call<{ objects: { kind: string; action: string; diff: string }[] }>("POST", url, {
        body,
      });
      const changed = preview.json.objects.filter(({ diff }) => diff !== "");
      expect(changed).toMatchObject([{ kind: "ConfigMap" }]);
      expect(changed[0]?.diff).toContain("purple");
      expect(await history()).toEqual(before);
    });

    test("goes back to an earlier version", async () => {
      const url = "/openapi/environments/dev/service/web/versions/1/rollback?projectKey=charts";
      const answer = await slipway.call("POST", url);
      expect(answer.text).toBe(success);
      await untilDone();
      expect(await helm("get", "values", "web")).toContain("color: green");
      expect(await helm("get", "values", "web")).toContain("tag: v1");
    });

    test("of another type of project has other doors", async () => {
      const body = { service_name: "plain", yaml: "kind: ConfigMap" };
      const yaml = await slipway.call("POST", "/openapi/service/yaml/raw?projectKey=charts", { body });
      expect(yaml.status).toBe(400);
    });

    test("leaves with its environment", async () => {
      await slipway.call("DELETE", "/openapi/environments/dev?projectKey=charts&isDelete=true");
      await waitFor("the environment to go", async () => (await storedStatus()) === undefined);
      expect(JSON.parse(await helm("list", "-o", "json"))).toEqual([]);
    });
  });

  describe("an upload that is no chart", () => {
    test.each([
      ["text", Buffer.from("no archive")],
      ["no Chart.yaml", () => packedChart({ "values.yaml": "a: 1" })],
      ["a path out of it", () => packedChart({ "Chart.yaml": "x", "../../evil": "x" })],
    ])("is refused: %s", async (_, made) => {
      const bytes = typeof made === "function" ? await made() : made;
      const body = { content: bytes.toString("base64") };
      expect((await slipway.call("POST", "/api/aslan/template/charts/web/upload", { body })).status).toBe(400);
    });
  });

  test("a chart is taken as the bytes it is", async () => {
    const bytes = await packedChart(chartFiles("1.0.1"));
    const headers = {
      "content-type": "application/gzip",
      authorization: `Bearer ${"test-administrator-token-of-32-characters"}`,
    };
    const url = `${slipway.runtime.url}/api/aslan/template/charts/web/upload`;
    const answer = await fetch(url, { method: "POST", body: new Uint8Array(bytes), headers });
    expect(await answer.json()).toMatchObject({ message: "success", chart_version: "1.0.1" });
  });
}
