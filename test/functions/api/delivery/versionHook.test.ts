import { afterAll, beforeAll, expect, test } from "vitest";
import {
  endOf,
  releases,
  startForVersions,
  type VersionSetting,
  versionBody,
} from "../../../harness/deliveryVersions.ts";
import { type HookReceiver, startHookReceiver } from "../../../harness/hookReceiver.ts";
import { newPerson } from "../../../harness/people.ts";
import { pusher } from "../../../harness/testRegistry.ts";

const path = "/openapi/projects/project/deliveryHook?projectKey=shop";
let setting: VersionSetting;
let receiver: HookReceiver;

beforeAll(async () => {
  [setting, receiver] = [await startForVersions(), await startHookReceiver()];
}, 60_000);

afterAll(async () => {
  await setting.close();
  await receiver.close();
});

async function version(name: string): Promise<string> {
  const { digest } = await pusher(setting.source.address).image("dev/cart", name);
  const body = versionBody(name, setting.targetId, [setting.image("cart", name)]);
  await setting.calls.ok("POST", `${releases}/k8s`, body);
  expect(await endOf(setting.slipway, name)).toMatchObject({ status: "success", error: "" });
  return `${setting.target.address}/rel/cart:${name}@${digest}`;
}

test("a version that succeeds is told, once the hook is switched on; one that fails is not", async () => {
  const { calls, targetId, slipway, image } = setting;
  expect(await calls.ok("GET", path)).toEqual({ enable: false, hook_host: "", path: "" });
  await version("quiet");
  const hook = { enable: true, hook_host: `${receiver.url}/`, path: "/told/here" };
  await calls.ok("PUT", path, hook);
  expect(await calls.ok("GET", path)).toEqual(hook);
  await calls.ok("POST", `${releases}/k8s`, versionBody("broken", targetId, [image("missing")]));
  expect((await endOf(slipway, "broken")).status).toBe("failed");
  const promised = await version("told");
  expect(receiver.received).toHaveLength(1);
  const [{ method, path: at, body }] = receiver.received as [(typeof receiver.received)[0]];
  expect([method, at]).toEqual(["POST", "/told/here"]);
  expect(JSON.parse(body)).toEqual({
    ...{ project_name: "shop", version: "told", status: "success", error: "", charts: [] },
    ...{ start_time: expect.any(Number), end_time: expect.any(Number) },
    services: [{ service_name: "cart", images: [{ service_module: "cart", image: promised }] }],
  });
});

test("a version does not wait for who does not answer well, nor for an address that may not be called", async () => {
  receiver.next.push({ status: 500 });
  await version("unheard");
  await setting.calls.ok("PUT", path, { enable: true, hook_host: "http://10.1.2.3", path: "" });
  await version("refused");
});

test("the setting is the project administrator's, and says what is wrong with it", async () => {
  const { calls, slipway } = setting;
  const reader = await newPerson("reader", [{ namespace: "shop", roles: { sees: ["get_delivery"] } }]);
  expect((await slipway.call("GET", path, reader)).status).toBe(403);
  const problems = async (body: object) =>
    ((await calls.refused("PUT", path, body)).json.extra.problems ?? []).map((one) => `${one.path}: ${one.problem}`);
  expect(await problems({ enable: true })).toEqual(["hook_host: is required when enable is true"]);
  expect(await problems({ enable: "yes" })).toEqual(["enable: enable must be true or false"]);
  expect(await problems({ enable: true, hook_host: "ftp://ops", path: "a b" })).toEqual([
    expect.stringContaining("hook_host: "),
    "path: must be the path of an address: no white space, backslash or #",
  ]);
  const absent = path.replace("shop", "none");
  expect((await calls.refused("PUT", absent, { enable: false })).status).toBe(404);
});
