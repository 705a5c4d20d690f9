import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { builtConsole } from "../../infra/builtConsole.ts";
import { chromium } from "../harness/chromium.ts";
import { type ConsoleBrowser, looks, openBrowser, password } from "../harness/consoleBrowser.ts";
import { approvalBy, textJob } from "../harness/releasePlans.ts";
import { type Slipway, startSlipway } from "../harness/slipway.ts";

const path = "/openapi/release_plan/v1";
/** A time of March 2031, as clocks here show it. */
const at = (day: number, hour = 0): number => new Date(2031, 2, day, hour).getTime() / 1000;
let slipway: Slipway;
let browser: ConsoleBrowser;

async function send<T extends object>(method: string, at: string, body?: object): Promise<T> {
  const answer = await slipway.call<T>(method, at, { body });
  expect(answer.status, `${method} ${at}: ${answer.text}`).toBe(200);
  return answer.json;
}

/** A plan of the administrator, moved on by calls of its status. */
async function plan(name: string, more: object, ...steps: string[]): Promise<string> {
  const body = { name, manager: "admin", manager_identity_type: "system", ...more };
  const { id } = await send<{ id: string }>("POST", path, body);
  await send("PATCH", `${path}/${id}`, { ...body, jobs: [textJob("first"), textJob("second")] });
  for (const step of steps) await send("POST", `${path}/${id}/status/${step}`);
  return id;
}

describe.skipIf(chromium === undefined)("the board and the calendar of release plans", () => {
  beforeAll(async () => {
    builtConsole();
    slipway = await startSlipway({ withConsole: true, adminPassword: password });
    const me = await slipway.call<{ uid: string }>("POST", "/api/v1/login", { body: { account: "admin", password } });
    await send("POST", "/api/v1/users", { account: "dora", name: "Dora", password });
    await plan("spring release", { start_time: at(10, 9), end_time: at(13, 18), schedule_execute_time: at(11, 10) });
    await plan("later", {}, "finish_planning");
    const approval = approvalBy(me.json.uid);
    await plan("asked for", { approval }, "finish_planning", "wait_for_approval");
    const running = await plan("going on", {}, "finish_planning", "executing");
    const { jobs } = await send<{ jobs: { id: string }[] }>("GET", `${path}/${running}`);
    await send("POST", `${path}/${running}/execute`, { id: jobs[0]?.id, type: "text", spec: { remark: "done" } });
    await plan("given up", {}, "finish_planning", "planning", "finish_planning", "executing", "cancel");
    const freeze = { reason: "the fair", start_time: at(14), end_time: at(17) };
    await send("POST", `${path}/freezes`, { name: "Spring fair", ...freeze });
    const weekly = { cron: "0 22 * * 5", time_zone: "Asia/Shanghai", duration_minutes: 600 };
    await send("POST", `${path}/freezes`, { name: "Weekends", reason: "people rest", ...weekly });
    browser = await openBrowser(slipway);
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    await slipway?.close();
  });

  test.each(looks)("shows plans by what becomes of them: %s", async (name, look) => {
    const { page, faults } = await browser.opened(look);
    await browser.signIn(page, "v1/releasePlan");
    await page.getByRole("link", { name: "Board" }).click();
    const column = (title: string) => page.getByRole("region", { name: title, exact: true });
    await column("In planning").getByText("spring release").waitFor();
    await column("In planning").getByText("Window:").waitFor();
    await column("Planned").getByText("later").waitFor();
    await column("Approval").getByText("0 of 1 approvals").waitFor();
    await column("In execution").getByText("1 of 2 jobs ended").waitFor();
    await column("Over").getByText("cancel", { exact: true }).waitFor();
    await browser.looksRight(page, `board-${name}`);
    await column("In execution").getByRole("link", { name: "going on" }).click();
    await page.getByRole("heading", { name: "going on" }).waitFor();
    expect(faults).toEqual([]);
  });

  test("follows a plan from one column to the next", async () => {
    const { page, faults } = await browser.opened();
    await browser.signIn(page, "v1/releasePlan?view=board");
    const id = await plan("moves", {});
    const column = (title: string) => page.getByRole("region", { name: title, exact: true });
    await column("In planning").getByText("moves").waitFor();
    await send("POST", `${path}/${id}/status/finish_planning`);
    await column("Planned").getByText("moves").waitFor();
    await send("DELETE", `${path}/${id}`);
    await column("Planned").getByText("moves").waitFor({ state: "detached" });
    expect(faults).toEqual([]);
  });

  test.each(looks)("shows when plans run and what is frozen, and why: %s", async (name, look) => {
    const { page, faults } = await browser.opened(look);
    await browser.signIn(page, "v1/releasePlan?view=calendar&day=2031-03-12");
    await page.getByRole("heading", { name: "March 2031" }).waitFor();
    await page.getByText(/^Times are those of ./).waitFor();
    await page
      .getByTitle(/^Window: spring release, Mar 10.*9:00.*Mar 13, 2031, 6:00.*, planning$/)
      .first()
      .waitFor();
    await page.getByTitle(/^Plan: spring release, Mar 11, 2031, 10:00.*, planning$/).waitFor();
    await page
      .getByRole("link", { name: /^Freeze: Weekends/ })
      .nth(3)
      .waitFor();
    await browser.looksRight(page, `calendar-month-${name}`);
    const freeze = page.getByRole("link", { name: /^Freeze: Spring fair/ }).first();
    await freeze.focus();
    await page.keyboard.press("Enter");
    await page.getByRole("region", { name: "Freeze: Spring fair" }).getByText("the fair").waitFor();
    await page.getByRole("link", { name: "Week", exact: true }).click();
    await page.getByRole("heading", { name: /March 10.*16, 2031/ }).waitFor();
    expect(page.url()).toMatch(/span=week&day=2031-03-12$/);
    await page
      .getByRole("link", { name: /^Freeze: Weekends/ })
      .first()
      .click();
    await page.getByText("600 minutes from 0 22 * * 5, by the clock of Asia/Shanghai.").waitFor();
    await browser.looksRight(page, `calendar-week-${name}`);
    await page.reload();
    await page.getByRole("region", { name: "Freeze: Weekends" }).waitFor();
    await page.getByRole("link", { name: "Later" }).click();
    await page.getByRole("heading", { name: /March 17.*23, 2031/ }).waitFor();
    await page.getByRole("link", { name: "Month", exact: true }).click();
    await page.getByRole("link", { name: "Earlier" }).click();
    await page.getByRole("heading", { name: "February 2031" }).waitFor();
    await page.getByLabel("Go to the day").fill("2031-03-10");
    await page.getByRole("link", { name: /^Plan: spring release/ }).click();
    await page.getByRole("heading", { name: "spring release" }).waitFor();
    expect(faults).toEqual([]);
  });

  test("draws a bar over the days of a window, and a list of days where seven have no room", async () => {
    const { page } = await browser.opened();
    await browser.signIn(page, "v1/releasePlan?view=calendar&day=2031-03-12");
    const bar = page.getByRole("listitem").filter({ has: page.getByRole("link", { name: /^Window: spring/ }) });
    const day = (number: number) => page.getByRole("link", { name: new RegExp(`, Mar ${number}$`) });
    const box = await bar.boundingBox();
    const [first, last] = [await day(10).boundingBox(), await day(13).boundingBox()];
    expect(box?.x).toBeLessThanOrEqual(first?.x ?? 0);
    expect((box?.x ?? 0) + (box?.width ?? 0)).toBeGreaterThan(last?.x ?? 0);
    await page.setViewportSize({ width: 375, height: 800 });
    await page.getByRole("heading", { name: "Monday, March 10" }).waitFor();
    expect(await day(10).count()).toBe(0);
    await page.getByRole("button", { name: "中文" }).click();
    await page.getByRole("heading", { name: "2031年3月" }).waitFor();
    await page.getByRole("link", { name: /^冻结：Spring fair/ }).waitFor();
  });

  test("has a list alone for those who may not read all plans", async () => {
    const { page } = await browser.opened();
    await browser.signIn(page, "v1/releasePlan", "dora");
    await page.getByRole("link", { name: "spring release" }).waitFor();
    await browser.settled(page);
    expect(await page.getByRole("link", { name: "Board" }).count()).toBe(0);
    await page.goto(`${slipway.runtime.url}/console/v1/releasePlan?view=board`);
    await page
      .getByRole("alert")
      .getByText(/get_release_plan/)
      .waitFor();
  });
});
