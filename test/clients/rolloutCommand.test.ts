import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { canaryShop } from "../harness/canaryShop.ts";
import { adminToken, type Slipway, startSlipway } from "../harness/slipway.ts";
import { slipwayProgram } from "./slipwayProgram.ts";

let slipway: Slipway;
let shop: Awaited<ReturnType<typeof canaryShop>>;
let run: ReturnType<typeof slipwayProgram>;
let home: string;

beforeAll(async () => {
  slipway = await startSlipway({ podDelayMilliseconds: 0 });
  shop = await canaryShop(slipway, ["held", "aborted"]);
  home = mkdtempSync(join(tmpdir(), "slipway-rollout-"));
  run = slipwayProgram({ HOME: home, SLIPWAY_ADDRESS: slipway.runtime.url, SLIPWAY_TOKEN: adminToken });
}, 120_000);
afterAll(async () => {
  await slipway.close();
  rmSync(home, { recursive: true, force: true });
});

test("a step is held and let go on by its only name", async () => {
  const id = await shop.begun("held");
  expect(await run("rollout", "pause", `held/${id}`)).toMatchObject({ code: 0, out: `Held: release of held/${id}\n` });
  // Its stage is executed with it.
  expect(await run("-o", "json", "rollout", "promote", `held/${id}`)).toMatchObject({ code: 0 });
  await shop.until("held", id, "passed", ({ status }) => status === "passed");
  const over = await run("rollout", "promote", `held/${id}`);
  expect(over).toMatchObject({ code: 2, err: expect.stringContaining("no step of a rollout to promote") });
  const named = await run("rollout", "promote", `held/${id}`, "--job", "release");
  expect(named).toMatchObject({ code: 3, err: expect.stringContaining("nothing to promote") });
});

test("a rollout is taken back, where nobody is asked with --yes alone", async () => {
  const id = await shop.begun("aborted");
  const unasked = await run("rollout", "abort", `aborted/${id}`);
  expect(unasked).toMatchObject({ code: 2, err: expect.stringContaining("--yes") });
  expect((await shop.read("aborted", id)).status).toBe("pause");
  expect(await run("rollout", "abort", `aborted/${id}`, "--yes")).toMatchObject({ code: 0 });
  await shop.until("aborted", id, "cancelled", ({ status }) => status === "cancelled");
});
