import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { detailOf } from "./boutique.ts";
import { type ChartCases, chartOf, openChartCases } from "./chartCases.ts";
import { untilChanged } from "./chartProject.ts";
import type { Standing } from "./environmentSuite.ts";

const pods = (name: string) =>
  `selector: {matchLabels: {app: ${name}}}, template: {metadata: {labels: {app: ${name}}}, spec: {containers: [{name: main, image: "nginx:1"}]}}`;

/** What users read when a chart or a manifest cannot be deployed: the same on every cluster. */
export function chartWordSuite(cluster: string, open: () => Promise<Standing>): void {
  let cases: ChartCases;
  beforeAll(async () => {
    cases = await openChartCases(open);
  });
  afterAll(() => cases.close());

  const readable = (text: string) => {
    expect(text).not.toContain(";;");
    expect(text).not.toContain("--debug");
    expect(text.length, text).toBeLessThan(500);
  };

  describe(`an error of a chart on ${cluster}`, () => {
    test("names the fields of a StatefulSet that cannot change", async () => {
      const db = `apiVersion: apps/v1\nkind: StatefulSet\nmetadata: {name: db}\nspec: {serviceName: "{{ .Values.headless }}", podManagementPolicy: {{ .Values.policy }}, ${pods("db")}}\n`;
      await cases.make("db", chartOf("db", { db }, "headless: one\npolicy: OrderedReady\n"));
      expect(await cases.deploy("db")).toBe("");
      const error = await cases.deploy("db", "headless: two\npolicy: Parallel");
      expect(error).toContain('spec.serviceName (from "one" to "two")');
      expect(error).toContain('spec.podManagementPolicy (from "OrderedReady" to "Parallel")');
      expect(error).toContain("back at version 1");
      readable(error);
      const sent = await cases.slipway.call(
        "POST",
        `/openapi/environments/helm/dev/services?projectKey=${cases.project}&dryRun=true`,
        { body: { services: [{ service_name: "db", values_yaml: "headless: two" }] } },
      );
      expect(sent.text).toContain("spec.serviceName (from");
      await cases.remove("db");
    });

    test("says of a Job that it cannot be changed, without its whole template", async () => {
      const job = `apiVersion: batch/v1\nkind: Job\nmetadata: {name: once}\nspec: {template: {spec: {restartPolicy: Never, containers: [{name: main, image: "x:{{ .Values.tag }}"}]}}}\n`;
      await cases.make("once", chartOf("once", { job }, "tag: one\n"));
      expect(await cases.deploy("once")).toBe("");
      const error = await cases.deploy("once", "tag: two");
      expect(error).toContain("field is immutable");
      expect(error).toContain("make it a hook");
      readable(error);
      await cases.remove("once");
    });

    test("tells what Helm cannot read without Helm's own hints", async () => {
      await cases.make("wrong", chartOf("wrong", { wrong: "{{ if .Values.x }}\na: b: c\n{{ end }}\n" }));
      const { status, text } = await cases.send({ service_name: "wrong", values_yaml: "x: 1" });
      expect(status).toBe(400);
      readable(text);
      const two = await cases.send({ service_name: "wrong", values_yaml: "a: 1\n---\nb: 2\n" });
      expect([two.status, two.text]).toEqual([400, expect.stringContaining("values are one document")]);
    });
  });

  describe(`a hook that never ends on ${cluster}`, () => {
    const hook = `{{ if .Values.hook }}\napiVersion: batch/v1\nkind: Job\nmetadata: {name: endless, annotations: {helm.sh/hook: "pre-install,pre-upgrade", helm.sh/hook-delete-policy: "before-hook-creation,hook-failed"}}\nspec: {activeDeadlineSeconds: 600, template: {spec: {restartPolicy: Never, containers: [{name: main, image: "registry.example.com/hook:missing"}]}}}\n{{ end }}\n`;
    const part = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: part}\ndata: {x: '{{ .Values.x }}'}\n";
    const cancel = (service: string) =>
      cases.slipway.call("POST", `/openapi/environments/dev/service/${service}/cancel?projectKey=${cases.project}`);
    const cancelled = async (service: string, values_yaml: string) => {
      expect((await cases.send({ service_name: service, values_yaml })).status).toBe(200);
      await expect
        .poll(() => cases.find({ apiVersion: "batch/v1", kind: "Job", name: "endless" }), { timeout: 60_000 })
        .toBeDefined();
      const startedAt = performance.now();
      expect((await cancel(service)).status).toBe(200);
      await untilChanged(cases.slipway, cases.project, "dev");
      expect(performance.now() - startedAt, "milliseconds until it is over").toBeLessThan(60_000);
      await cases.client.remove({ apiVersion: "batch/v1", kind: "Job", namespace: cases.namespace, name: "endless" });
      const { services } = await detailOf(cases.slipway, cases.project, "dev");
      return services.find(({ service_name }) => service_name === service)?.error;
    };

    test("is cancelled: an upgrade goes back, and the next one works", async () => {
      await cases.make("endless", chartOf("endless", { part, hook }, "x: 0\nhook: false\n"));
      expect((await cancel("endless")).text).toContain("nothing to cancel");
      expect(await cases.deploy("endless", "x: 1")).toBe("");
      const error = await cancelled("endless", "x: 2\nhook: true");
      expect(error).toContain("cancelled");
      expect(error).toContain("back at version 1");
      expect(JSON.parse(await cases.helm("get", "values", "endless", "-o", "json"))).toMatchObject({ x: 1 });
      const again = await cancel("endless");
      expect([again.status, again.text]).toEqual([400, expect.stringContaining("nothing to cancel")]);
      expect(await cases.deploy("endless", "x: 3")).toBe("");
      await cases.remove("endless");
    });

    test("is cancelled: a first installation is uninstalled", async () => {
      await cases.make("unborn", chartOf("unborn", { part, hook }, "x: 0\nhook: false\n"));
      expect(await cancelled("unborn", "hook: true")).toContain("cancelled");
      expect(JSON.parse(await cases.helm("list", "-o", "json"))).toEqual([]);
      expect(await cases.find({ apiVersion: "v1", kind: "ConfigMap", name: "part" })).toBeUndefined();
      await cases.remove("unborn");
    });
  });

  describe(`a workload that waits on ${cluster}`, () => {
    test("says that it is paused, and its environment forgets it when it goes", async () => {
      const paused = `apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: paused}\nspec: {paused: true, ${pods("paused")}}\n`;
      await cases.make("paused", chartOf("paused", { paused }));
      await cases.call("POST", "/openapi/environments/helm/dev/services", { services: [{ service_name: "paused" }] });
      await untilChanged(cases.slipway, cases.project, "dev");
      const failed = await detailOf(cases.slipway, cases.project, "dev");
      expect(failed).toMatchObject({ status: "error", error: expect.stringContaining("spec.paused is true") });
      await cases.remove("paused");
      expect(await detailOf(cases.slipway, cases.project, "dev")).toMatchObject({ status: "succeeded", error: "" });
    });

    test("of two that failed only the other one's error stays", async () => {
      for (const name of ["first", "second"]) {
        const text = `apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: ${name}}\nspec: {paused: true, ${pods(name)}}\n`;
        await cases.make(name, chartOf(name, { [name]: text }));
        await cases.call("POST", "/openapi/environments/helm/dev/services", { services: [{ service_name: name }] });
        await untilChanged(cases.slipway, cases.project, "dev");
      }
      await cases.remove("first");
      const { status, error } = await detailOf(cases.slipway, cases.project, "dev");
      expect([status, error]).toEqual(["error", expect.stringContaining("service second")]);
      expect(error).not.toContain("service first");
      await cases.remove("second");
    });
  });
}
