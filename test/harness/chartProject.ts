import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { expect } from "vitest";
import { unpackHelm } from "../../infra/local/unpackHelm.ts";
import { localClusterId } from "./boutique.ts";
import { packedChart } from "./packedChart.ts";
import type { Slipway } from "./slipway.ts";
import { waitFor } from "./waitFor.ts";

const success = '{"message":"success"}';

/** The helm command as people use it, with an empty home. */
export interface HelmCommand {
  run(namespace: string, ...args: string[]): Promise<string>;
  /** A folder with these files of a chart. */
  folderOf(files: Record<string, string>): string;
  close(): void;
}

export function helmCommand(kubeconfig: string): HelmCommand {
  const folder = mkdtempSync(join(tmpdir(), "slipway-charts-"));
  writeFileSync(join(folder, "kubeconfig"), kubeconfig);
  const program = process.env.SLIPWAY_HELM ?? unpackHelm(folder) ?? "helm";
  return {
    // Not at once: the sandbox cluster lives in this process.
    run: async (namespace, ...args) => {
      const where = ["-n", namespace, "--kubeconfig", join(folder, "kubeconfig")];
      return (await promisify(execFile)(program, [...args, ...where], { env: { HOME: folder } })).stdout;
    },
    folderOf: (files) => {
      const chart = mkdtempSync(join(folder, "chart-"));
      for (const [path, text] of Object.entries(files)) {
        mkdirSync(dirname(join(chart, path)), { recursive: true });
        writeFileSync(join(chart, path), text);
      }
      return chart;
    },
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** A project of charts, and a template, which belongs to the installation. */
export async function makeChartProject(
  slipway: Slipway,
  key: string,
  files: Record<string, string>,
  template = "web",
): Promise<void> {
  const project = { project_name: key, project_key: key, is_public: false, project_type: "helm" };
  expect((await slipway.call("POST", "/openapi/projects/project", { body: project })).text).toBe(success);
  const templates = "/api/aslan/template/charts";
  expect((await slipway.call("POST", templates, { body: { name: template, source: "upload" } })).text).toBe(success);
  const content = (await packedChart(files)).toString("base64");
  const uploaded = await slipway.call("POST", `${templates}/${template}/upload`, { body: { content } });
  expect(uploaded.text).toContain('"chart_version":"1.0.0"');
}

export async function readStoredChart(slipway: Slipway, key: string, service: object): Promise<void> {
  const body = { template_name: "web", ...service };
  const path = `/openapi/service/template/load/helm?projectKey=${key}`;
  expect((await slipway.call("POST", path, { body })).text).toBe(success);
}

export async function makeChartEnvironment(slipway: Slipway, key: string, environment: object): Promise<void> {
  const body = { cluster_id: localClusterId, registry_id: "0123456789abcdef12345679", ...environment };
  expect((await slipway.call("POST", `/openapi/environments/helm?projectKey=${key}`, { body })).text).toBe(success);
}

/** What the list of environments says of one; undefined when it is gone. */
export async function storedStatusOf(slipway: Slipway, key: string, environment: string): Promise<string | undefined> {
  const path = `/openapi/environments?projectKey=${key}`;
  const list = await slipway.call<{ env_key: string; status: string }[]>("GET", path);
  return list.json.find(({ env_key }) => env_key === environment)?.status;
}

export async function untilChanged(slipway: Slipway, key: string, environment: string): Promise<void> {
  await waitFor("the change to end", async () => {
    return !["creating", "updating"].includes((await storedStatusOf(slipway, key, environment)) ?? "");
  });
}
