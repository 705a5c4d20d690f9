import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { builtConsole } from "../../infra/builtConsole.ts";
import type { ClusterClient } from "../../shared/kube/client/ClusterClient.ts";
import { connect } from "../../shared/kube/client/connect.ts";
import { localClusterId, untilStatus } from "../harness/boutique.ts";
import { chromium } from "../harness/chromium.ts";
import { type ConsoleBrowser, openBrowser, password } from "../harness/consoleBrowser.ts";
import { isTicket, noteSockets } from "../harness/consoleSockets.ts";
import { deploymentYaml } from "../harness/manifests.ts";
import { type Slipway, startSlipway } from "../harness/slipway.ts";
import { waitFor } from "../harness/waitFor.ts";

const namespace = "shop-dev";
const pageOf = (env: string) => `v1/projects/detail/shop/envs/detail?envName=${env}&service=web`;
/** What a page of an environment asks for again. */
const questions = { services: /\/environments\/dev\?/, workloads: /\/services\/web\?/, pods: /\/service\/web\/pods/ };

let slipway: Slipway;
let browser: ConsoleBrowser;
let client: ClusterClient;

async function send(path: string, body: object): Promise<void> {
  const { status, text } = await slipway.call("POST", path, { body });
  expect(status, text).toBe(200);
}

/** When a page asked what, in milliseconds. */
function noteQuestions(page: Page): Record<keyof typeof questions, number[]> {
  const asked = { services: [] as number[], workloads: [] as number[], pods: [] as number[] };
  page.on("request", (request) => {
    for (const name of Object.keys(questions) as (keyof typeof questions)[])
      if (questions[name].test(request.url())) asked[name].push(performance.now());
  });
  return asked;
}

async function podOf(): Promise<string> {
  const { items } = await client.list({ apiVersion: "v1", kind: "Pod" }, { namespace, labelSelector: "app=web" });
  return items.find(({ metadata }) => metadata.deletionTimestamp === undefined)?.metadata.name ?? "";
}

/** Removes the pod that a page shows. @returns milliseconds until the page shows the next one */
async function replacePod(page: Page): Promise<number> {
  const name = await podOf();
  await page.getByText(name, { exact: true }).first().waitFor();
  const begun = performance.now();
  await client.remove({ apiVersion: "v1", kind: "Pod", name, namespace });
  await page.getByText(name, { exact: true }).first().waitFor({ state: "detached" });
  await page
    .getByText(await podOf(), { exact: true })
    .first()
    .waitFor();
  return performance.now() - begun;
}

/** A page of which the socket has said that its services are followed. */
async function followed(page: Page): Promise<void> {
  const { follows } = noteSockets(page);
  await browser.signIn(page, pageOf("dev"));
  await waitFor("dev to be followed", async () => follows.some(({ environment }) => environment === "shop/dev"));
  await page.waitForTimeout(2500);
}

describe.skipIf(chromium === undefined)("a page of an environment that is open", () => {
  beforeAll(async () => {
    builtConsole();
    slipway = await startSlipway({ withConsole: true, adminPassword: password });
    const text = readFileSync(slipway.runtime.sandboxKubeconfigPath ?? "", "utf8");
    client = connect({ kind: "kubeconfig", text, trusted: true });
    await send("/openapi/projects/project", { project_name: "Shop", project_key: "shop", project_type: "yaml" });
    await send("/openapi/service/yaml/raw?projectKey=shop", {
      ...{ service_name: "web", yaml: deploymentYaml("web", "web:1") },
    });
    for (const env_key of ["dev", "next"]) {
      const placed = { cluster_id: localClusterId, registry_id: "0123456789abcdef12345679" };
      await send("/openapi/environments?projectKey=shop", {
        ...{ ...placed, env_key, namespace: `shop-${env_key}`, services: [{ service_name: "web" }] },
      });
      await untilStatus(slipway, "shop", env_key, "running");
    }
    browser = await openBrowser(slipway);
  }, 120_000);
  afterAll(async () => {
    client?.close();
    await browser?.close();
    await slipway?.close();
  });

  test("shows a replaced pod at once, and asks every half a minute while nothing changes", async () => {
    const { page, faults } = await browser.opened();
    const asked = noteQuestions(page);
    await followed(page);
    for (let round = 0; round < 3; round++) {
      // Far below the half minute between questions, with room for a busy machine.
      expect(await replacePod(page)).toBeLessThan(10_000);
      await page.waitForTimeout(3000);
    }
    const before = performance.now();
    await page.waitForTimeout(12_000);
    for (const [name, times] of Object.entries(asked))
      expect(times.filter((at) => at >= before).length, name).toBeLessThanOrEqual(1);
    expect(faults).toEqual([]);
    await page.context().close();
  }, 90_000);

  test("asks no more often than once a second while pods come and go", async () => {
    const { page } = await browser.opened();
    const asked = noteQuestions(page);
    await followed(page);
    const begun = performance.now();
    for (const replicas of [5, 1, 6, 1]) {
      const workload = { apiVersion: "apps/v1", kind: "Deployment", name: "web", namespace };
      await client.patch(workload, { type: "merge", body: { spec: { replicas } } });
      await page.waitForTimeout(700);
    }
    await page.waitForTimeout(3000);
    const seconds = (performance.now() - begun) / 1000;
    for (const [name, times] of Object.entries(asked)) {
      const during = times.filter((at) => at >= begun).length;
      expect(during, name).toBeGreaterThan(0);
      expect(during, name).toBeLessThanOrEqual(seconds + 1);
    }
    await page.context().close();
  }, 60_000);

  test("follows the environment that it shows, and none after it was left", async () => {
    const { page } = await browser.opened();
    const { follows, opened } = noteSockets(page);
    await followed(page);
    await page.getByRole("link", { name: "shop", exact: true }).click();
    await page.getByRole("link", { name: "next" }).first().click();
    await page.getByText("Namespace shop-next").waitFor();
    await page.waitForTimeout(1000);
    const environments = follows.map(({ environment }) => environment);
    expect(environments.slice(-2)).toEqual([undefined, "shop/next"]);
    expect(environments).toContain("shop/dev");
    expect(opened(), "one socket for all pages").toBe(1);
    await page.context().close();
  }, 60_000);

  test("asks every half a minute where changes of services are not told, as in AWS, and often while a change goes on", async () => {
    const { page } = await browser.opened();
    // As the function in AWS answers, which watches no cluster.
    await page.routeWebSocket(/events\/socket/, (socket) => {
      const server = socket.connectToServer();
      const untold = (text: string) => text.replace(/("type":"services".*?"state":)"(followed|changed)"/g, '$1"lost"');
      server.onMessage((message) => socket.send(untold(String(message))));
    });
    const asked = noteQuestions(page);
    await followed(page);
    await page.waitForTimeout(6000);
    const quiet = performance.now();
    await page.waitForTimeout(12_000);
    expect(asked.services.filter((at) => at >= quiet).length, "asked while nothing changed").toBeLessThanOrEqual(1);
    const told = performance.now();
    await send("/openapi/environments/dev/sleep?projectKey=shop", {});
    await page.getByText("sleeping").first().waitFor({ timeout: 8000 });
    expect(asked.services.filter((at) => at >= told).length).toBeGreaterThan(0);
    await page.context().close();
    await send("/openapi/environments/dev/wake?projectKey=shop", {});
  }, 90_000);

  test("asks every five seconds where there is no socket", async () => {
    const { page, faults } = await browser.opened();
    await page.route(
      (url) => isTicket(url.href),
      (route) => route.fulfill({ status: 429, headers: { "retry-after": "5" }, body: "" }),
    );
    const asked = noteQuestions(page);
    await browser.signIn(page, pageOf("dev"));
    expect(await replacePod(page)).toBeLessThan(15_000);
    await page.waitForTimeout(6000);
    const [last = 0, former = 0] = asked.services.slice(-2).reverse();
    expect(last - former).toBeGreaterThan(4500);
    expect(faults).toEqual([]);
    await page.context().close();
  }, 60_000);
});
