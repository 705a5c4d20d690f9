import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { chinese } from "../../console/src/chinese.ts";
import { serverWords } from "../../console/src/serverWords.ts";
import { builtConsole } from "../../infra/builtConsole.ts";
import { removeConfig } from "../../shared/base/settings/config.ts";
import { imageStatuses, versionStatuses } from "../../shared/delivery/rules/version.ts";
import { environmentStatuses } from "../../shared/environments/rules/status.ts";
import { planJobStatuses, planStatuses } from "../../shared/releaseplans/rules/status.ts";
import { chargedParts } from "../../shared/reports/costs/rules/costBreakdown.ts";
import { jobStatuses, stageStatuses, taskStatuses } from "../../shared/workflows/records/rules/status.ts";
import { type Slipway, startSlipway } from "../harness/slipway.ts";

const kilobyte = 1024;
let folder = "";
let slipway: Slipway;

beforeAll(async () => {
  folder = builtConsole();
  slipway = await startSlipway({ withConsole: true });
});
afterAll(() => slipway?.close());

const get = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(slipway.runtime.url + path, { headers, redirect: "manual" });
const loadedFirst = (page: string): string[] =>
  [...page.matchAll(/(?:src|href)="\.\/assets\/([^"]+)"/g)].map(([, name = ""]) => name);

describe("the built console", () => {
  test("loads at most 220 KB first, at most 90 KB for a page, and 160 KB for the editor, as they are sent", () => {
    const first = loadedFirst(readFileSync(join(folder, "index.html"), "utf8"));
    const sizes = new Map(
      readdirSync(join(folder, "assets"))
        .filter((name) => name.endsWith(".br"))
        .map((name) => [name.slice(0, -3), statSync(join(folder, "assets", name)).size]),
    );
    expect(first.length).toBeGreaterThan(1);
    expect(first.reduce((sum, name) => sum + (sizes.get(name) ?? Number.NaN), 0)).toBeLessThan(220 * kilobyte);
    const later = [...sizes].filter(([name]) => !first.includes(name));
    expect(later.length).toBeGreaterThan(3);
    const mostOf = (name: string) => (name.startsWith("YamlEditor-") ? 160 : 90) * kilobyte;
    expect(later.filter(([name]) => name.startsWith("YamlEditor-"))).toHaveLength(1);
    expect(later.filter(([name, size]) => size > mostOf(name))).toEqual([]);
  });

  test("says everything in Chinese too", () => {
    for (const [english, said] of Object.entries(chinese)) {
      expect(said, english).toMatch(/\p{Script=Han}|^Pod$|^\{who\}，|^\{kind\}：/u);
      expect(said.match(/\{\w+\}/g)?.sort() ?? [], english).toEqual(english.match(/\{\w+\}/g)?.sort() ?? []);
    }
  });

  test("has a Chinese word for each status and each part of a cost", () => {
    const tasks = [...taskStatuses, ...stageStatuses, ...jobStatuses];
    const plans = [...planStatuses, ...planJobStatuses, ...versionStatuses, ...imageStatuses];
    const said = [...environmentStatuses, ...tasks, ...plans, ...chargedParts];
    expect(said.filter((word) => word !== "" && !/\p{Script=Han}/u.test(serverWords[word] ?? ""))).toEqual([]);
  });
});

describe("the gateway", () => {
  test("sends browsers from the root to the console, and answers programs as before", async () => {
    const browser = await get("/", { accept: "text/html,application/xhtml+xml" });
    expect([browser.status, browser.headers.get("location")]).toEqual([302, "/console/"]);
    for (const path of ["/", "/nothing"]) {
      const program = await get(path, { accept: path === "/" ? "application/json" : "text/html" });
      expect(program.status).toBe(404);
      expect(await program.json()).toMatchObject({ code: 404 });
    }
  });

  test("answers each path of the console with its page, whose addresses hold wherever it stands", async () => {
    for (const [path, base] of [
      ["/console/", "./"],
      ["/console/v1/projects/detail/a", "../../../"],
    ] as const) {
      const page = await get(path);
      expect(page.status).toBe(200);
      expect(page.headers.get("cache-control")).toBe("no-cache");
      expect(await page.text()).toContain(`<base href="${base}">`);
    }
    const short = await get("/console");
    expect([short.status, short.headers.get("location")]).toEqual([308, "console/"]);
  });

  test("allows nothing inline and nothing from elsewhere", async () => {
    const page = await get("/console/");
    const policy = page.headers.get("content-security-policy") ?? "";
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toContain("unsafe");
    expect(policy).not.toMatch(/https?:/);
    const text = await page.text();
    expect(text).not.toMatch(/<script(?![^>]*\ssrc=)|<style|\sstyle=/);
    expect(text).not.toMatch(/https?:\/\//);
  });

  test("may connect to Slipway itself, and in AWS to the WebSocket API too", async () => {
    const connected = async (address: string) => {
      vi.stubEnv("SLIPWAY_SOCKET_ADDRESS", address);
      removeConfig();
      const { headers } = await get("/console/");
      return /connect-src ([^;]*);/.exec(headers.get("content-security-policy") ?? "")?.[1];
    };
    const own = "'self'";
    const inAws = "wss://a1b2c3d4e5.execute-api.us-east-1.amazonaws.com";
    expect(await connected("/openapi/events/socket")).toBe(own);
    expect(await connected("")).toBe(own);
    expect(await connected(`${inAws}/slipway`)).toBe(`${own} ${inAws}`);
    vi.unstubAllEnvs();
    removeConfig();
  });

  test("sends files compressed where the browser takes that, to be kept for ever", async () => {
    const [name = ""] = loadedFirst(readFileSync(join(folder, "index.html"), "utf8"));
    const compressed = await get(`/console/assets/${name}`, { "accept-encoding": "br" });
    expect(compressed.headers.get("content-encoding")).toBe("br");
    expect(compressed.headers.get("cache-control")).toContain("immutable");
    const plain = await get(`/console/assets/${name}`, { "accept-encoding": "identity" });
    expect(plain.headers.get("content-encoding")).toBeNull();
    const source = readFileSync(join(folder, "assets", name), "utf8");
    expect([await compressed.text(), await plain.text()]).toEqual([source, source]);
    expect((await get("/console/assets/..%2findex.html")).status).toBe(404);
  });
});
