import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  endOf,
  releases,
  startForVersions,
  type VersionSetting,
  versionBody,
} from "../../../harness/deliveryVersions.ts";
import { pusher } from "../../../harness/testRegistry.ts";

let setting: VersionSetting;

beforeAll(async () => {
  setting = await startForVersions({ settings: { SLIPWAY_COPY_SECONDS: "1" } });
}, 60_000);

afterAll(() => setting.close());

test("a copy that outlives its call goes on in the next one and sends no layer twice", async () => {
  const { source, target, calls, slipway, targetId, image } = setting;
  const layers = Array.from({ length: 12 }, () => 150_000);
  const { digest } = await pusher(source.address).image("dev/large", "1", { layers });
  // Eight at once: the first call ends with these.
  source.trouble = async ({ method, url = "" }) => {
    if (method === "GET" && url.includes("/blobs/")) await wait(1500);
    return false;
  };
  target.requests.length = 0;
  await calls.ok("POST", `${releases}/k8s`, versionBody("large", targetId, [image("large")]));
  const version = await endOf(slipway, "large");
  expect(version).toMatchObject({ status: "success", services: [{ images: [{ status: "passed", digest }] }] });
  const of = (line: RegExp) => target.requests.filter((request) => line.test(request));
  const sent = of(/^(PUT|POST) .*\/blobs\/uploads\/.*digest=/).map((request) => request.split("digest=")[1]);
  expect(sent).toHaveLength(layers.length + 1);
  expect(new Set(sent).size).toBe(sent.length);
  // The second call looked for all of them.
  expect(of(/^HEAD .*\/blobs\/sha256/)).toHaveLength(layers.length + 1);
});
