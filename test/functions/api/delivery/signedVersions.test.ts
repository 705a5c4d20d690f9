import { afterAll, beforeAll, expect, test } from "vitest";
import {
  endOf,
  releases,
  startForVersions,
  type VersionSetting,
  versionBody,
} from "../../../harness/deliveryVersions.ts";
import { keySigner, signImage } from "../../../harness/signatures.ts";
import { pusher } from "../../../harness/testRegistry.ts";

const key = keySigner();
let setting: VersionSetting;

beforeAll(async () => {
  setting = await startForVersions();
  const body = { enabled: true, public_key: key.publicKey };
  await setting.calls.ok("PUT", "/openapi/projects/project/verification?projectKey=shop", body);
}, 60_000);

afterAll(() => setting.close());

const byKey = { identity: "", issuer: "" };
const signatures = ({ services }: Awaited<ReturnType<typeof endOf>>) =>
  services.flatMap(({ images }) => images.map((one) => one.signature));

const create = (name: string, images: readonly object[]) =>
  setting.calls.ok("POST", `${releases}/k8s`, versionBody(name, setting.targetId, images));

test("a version with an image that nobody signed fails with its name, and nothing is copied; signed, a retry passes", async () => {
  const { slipway, source, target, image, calls } = setting;
  const push = pusher(source.address);
  const [good, bad] = [await push.image("dev/good", "1"), await push.image("dev/bad", "1")];
  await signImage(push, { repository: "dev/good", image: good, signer: key }, "old");
  await create("1", [image("good"), image("bad")]);
  const refused = await endOf(slipway, "1");
  expect(refused).toMatchObject({
    status: "failed",
    error: `image ${source.address}/dev/bad:1@${bad.digest} is refused: it has no signature (${bad.digest}); sign it with the key of the project, then try again`,
  });
  expect(target.requests.filter((request) => request.includes("/rel/"))).toEqual([]);
  await signImage(push, { repository: "dev/bad", image: bad, signer: key }, "bundle");
  await calls.ok("POST", `${releases}/retry`, { id: refused.id, projectKey: "shop" });
  const passed = await endOf(slipway, "1");
  expect(passed).toMatchObject({ status: "success", error: "" });
  const signatures = ({ services }: typeof passed) =>
    services.flatMap(({ images }) => images.map((one) => one.signature));
  expect([signatures(refused), signatures(passed)]).toEqual([
    [null, null],
    [byKey, byKey],
  ]);
  // Signatures travel along, so that what was copied is still signed.
  const copied = { ...image("good"), push_image: false };
  await create("2", [copied]);
  expect((await endOf(slipway, "2")).error).toBe("");
});

test("an image that is not pushed is looked up where it runs; one that cannot be read is refused", async () => {
  const { slipway, source, image } = setting;
  const missing = { ...image("none"), push_image: false, target_image: `${source.address}/dev/none:1` };
  await create("3", [missing]);
  const { status, error } = await endOf(slipway, "3");
  expect(status).toBe("failed");
  expect(error).toContain(`image ${source.address}/dev/none:1 is refused: its signatures cannot be read: `);
});

test("only what was checked is shown as signed, also when signatures are not demanded any more", async () => {
  const { slipway, source, image, calls } = setting;
  const push = pusher(source.address);
  await create("4", [image("good"), image("later")]);
  const failed = await endOf(slipway, "4");
  expect([failed.status, signatures(failed)]).toEqual(["failed", [byKey, null]]);
  await push.image("dev/later", "1");
  await calls.ok("PUT", "/openapi/projects/project/verification?projectKey=shop", { enabled: false });
  await calls.ok("POST", `${releases}/retry`, { id: failed.id, projectKey: "shop" });
  const passed = await endOf(slipway, "4");
  expect([passed.status, signatures(passed)]).toEqual(["success", [byKey, null]]);
});
