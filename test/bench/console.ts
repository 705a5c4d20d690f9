import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { builtConsole } from "../../infra/builtConsole.ts";
import { connect } from "../../shared/kube/client/connect.ts";
import { localClusterId, untilStatus } from "../harness/boutique.ts";
import { chromium } from "../harness/chromium.ts";
import { openBrowser, password } from "../harness/consoleBrowser.ts";
import { deploymentYaml } from "../harness/manifests.ts";
import { type Slipway, startSlipway } from "../harness/slipway.ts";
import { ask } from "./ask.ts";
import { benchLists } from "./consoleLists.ts";
import { median, number, percentile, sum, timed } from "./figures.ts";
import { atMost, judged, printTable, progress } from "./report.ts";
import { quick } from "./settings.ts";

const count = quick ? 20 : 1000;
const rounds = quick ? 2 : 9;
const changes = quick ? 2 : 40;
/** Services of a project, and records of the operation log. */
const many = quick ? 120 : 10_000;
const project = "wide";
const namespace = "wide-dev";
const names = Array.from({ length: count }, (_, at) => `service-${String(at).padStart(4, "0")}`);
const kilobytes = (bytes: number): string => `${(bytes / 1024).toFixed(1)} KB`;

/** What a browser loads of the console, how a wide environment is shown, and how soon a page tells of a pod that changed. */
export async function benchConsole(): Promise<void> {
  if (chromium === undefined) {
    console.log("\n## The console\n\n**Skipped: there is no Chromium (apt-get install chromium).**");
    return;
  }
  printSizes(builtConsole());
  const slipway = await startSlipway({ withConsole: true, adminPassword: password });
  const browser = await openBrowser(slipway);
  try {
    progress(`an environment of ${count} services`);
    await makeEnvironment(slipway);
    const { page } = await browser.opened();
    page.setDefaultTimeout(60_000);
    await browser.signIn(page);
    printPage(await measurePage(page, slipway.runtime.url));
    printChanges(await measureChanges(page, slipway));
    await benchLists(page, slipway, many, rounds);
  } finally {
    await browser.close();
    await slipway.close();
  }
}

function printSizes(folder: string): void {
  const sent = readdirSync(join(folder, "assets")).filter((name) => name.endsWith(".br"));
  const sizes = new Map(sent.map((name) => [name.slice(0, -3), statSync(join(folder, "assets", name)).size]));
  const first = [...readFileSync(join(folder, "index.html"), "utf8").matchAll(/\.\/assets\/([^"]+)"/g)];
  const loaded = new Set(first.map(([, name = ""]) => name));
  const later = [...sizes].filter(([name]) => !loaded.has(name)).sort(([, a], [, b]) => b - a);
  const all = sum([...loaded].map((name) => sizes.get(name) ?? 0));
  const rows = [
    ["first load", kilobytes(all), ...judged(atMost(all, 200 * 1024, kilobytes))],
    ...later.slice(0, 3).map(([name, size]) => [name.replace(/-[^-]+$/, ""), kilobytes(size), "none", ""]),
  ];
  printTable("What the console loads", "As it is sent, by Brotli; the three largest chunks of pages.", header, rows);
}

const header = ["what", "figure", "goal", "verdict"];

async function makeEnvironment(slipway: Slipway): Promise<void> {
  const post = (path: string, body: object) => ask(slipway, "POST", path, body);
  await post("/openapi/projects/project", {
    ...{ project_name: project, project_key: project, project_type: "yaml", is_public: false },
  });
  for (const service_name of names)
    await post(`/openapi/service/yaml/raw?projectKey=${project}`, {
      ...{ service_name, yaml: deploymentYaml(service_name, `${service_name}:1`), variable_yaml: [] },
    });
  await post(`/openapi/environments?projectKey=${project}`, {
    ...{ cluster_id: localClusterId, registry_id: "0123456789abcdef12345679", env_key: "dev", namespace },
    services: names.map((service_name) => ({ service_name })),
  });
  await untilStatus(slipway, project, "dev", "running", 900);
}

const pathOf = (service?: string): string =>
  `console/v1/projects/detail/${project}/envs/detail?envName=dev${service === undefined ? "" : `&service=${service}`}`;

interface Shown {
  /** Milliseconds from a click to the last row. */
  opened: number[];
  /** Of those the API's own. */
  answered: number[];
  /** Milliseconds from a key to the rows that match. */
  filtered: number[];
}

async function measurePage(page: Page, url: string): Promise<Shown> {
  const shown: Shown = { opened: [], answered: [], filtered: [] };
  const rows = page.getByRole("list", { name: "Services" }).getByRole("listitem");
  for (let round = -1; round < rounds; round++) {
    await page.goto(`${url}/console/v1/projects/detail/${project}`);
    const link = page.getByRole("link", { name: "dev" }).first();
    await link.waitFor();
    const answer = page.waitForResponse((response) => /\/environments\/dev\?/.test(response.url()));
    const opened = await timed(async () => {
      await link.click();
      await rows.nth(count - 1).waitFor();
    });
    const { responseEnd } = (await answer).request().timing();
    const search = page.getByLabel("Search services");
    const filtered = await timed(async () => {
      await search.fill(names.at(-1) ?? "");
      await rows.nth(1).waitFor({ state: "detached" });
    });
    if (round < 0) continue;
    shown.opened.push(opened.milliseconds);
    shown.answered.push(responseEnd);
    shown.filtered.push(filtered.milliseconds);
  }
  return shown;
}

function printPage({ opened, answered, filtered }: Shown): void {
  const rows = [
    ["opened by a click, to the last row", `${number(median(opened))} ms`],
    ["of that until the API has answered", `${number(median(answered))} ms`],
    ["searched, to the rows that match", `${number(median(filtered))} ms`],
  ].map((row) => [...row, ...judged(undefined)]);
  const how = `Headless Chromium on this machine, beside the control plane and the sandbox; medians of ${rounds} rounds.`;
  printTable(`An environment of ${count} services`, how, header, rows);
}

/** Milliseconds until a page that is open shows that a pod is another one, in an environment as wide as that. */
async function measureChanges(page: Page, slipway: Slipway): Promise<number[]> {
  const [service = ""] = names;
  const text = readFileSync(slipway.runtime.sandboxKubeconfigPath ?? "", "utf8");
  const client = connect({ kind: "kubeconfig", text, trusted: true });
  const podsOf = async (): Promise<string[]> => {
    const { items } = await client.list(
      { apiVersion: "v1", kind: "Pod" },
      { namespace, labelSelector: `app=${service}` },
    );
    return items.flatMap(({ metadata }) => metadata.name ?? []);
  };
  const taken: number[] = [];
  try {
    await page.goto(`${slipway.runtime.url}/${pathOf(service)}`);
    for (let change = 0; change < changes; change++) {
      const [name = ""] = await podsOf();
      const shown = page.getByText(name, { exact: true }).first();
      await shown.waitFor();
      // At any moment of whatever rhythm the page has.
      await page.waitForTimeout(Math.random() * 5000);
      const { milliseconds } = await timed(async () => {
        await client.remove({ apiVersion: "v1", kind: "Pod", name, namespace });
        await shown.waitFor({ state: "detached" });
      });
      taken.push(milliseconds);
    }
  } finally {
    client.close();
  }
  return taken;
}

function printChanges(taken: readonly number[]): void {
  const seconds = (milliseconds: number): string => `${(milliseconds / 1000).toFixed(1)} s`;
  const rows = [
    ["median", seconds(median(taken)), ...judged(undefined)],
    ["95th percentile", seconds(percentile(taken, 0.95)), ...judged(undefined)],
  ];
  const how = `From the removal of a pod to the open page of its service that does not show it any more; ${changes} removals.`;
  printTable("A pod that changes, on an open page", how, header, rows);
}
