import { expect, test } from "vitest";
import { signAddress } from "../../../../shared/aws/objects/signAddress.ts";
import { forgetConfig } from "../../../../shared/settings/config.ts";
import { startTestAws } from "./harness.ts";

test("an address signed beforehand reads and writes its object, and nothing else, until it expires", async () => {
  const aws = await startTestAws();
  process.env.SLIPWAY_AWS_ENDPOINT = aws.endpoint;
  forgetConfig();
  const key = "jobs/w/1/a b+c'(d)!*.txt";
  const put = await signAddress("PUT", key, 60);
  expect((await fetch(put, { method: "PUT", body: "content" })).status).toBe(200);
  const get = await signAddress("GET", key, 60);
  expect(await (await fetch(get)).text()).toBe("content");
  const bare = get.split("?")[0] ?? "";
  const expired = await signAddress("GET", key, 60, new Date(Date.now() - 61_000));
  const refused = [
    fetch(bare),
    fetch(expired),
    fetch(put, { method: "DELETE" }),
    fetch(put, { method: "POST" }),
    fetch(get, { headers: { origin: "http://example.org" } }),
    fetch(get.replace("%2Fs3%2F", "%2Fkms%2F")),
  ];
  expect((await Promise.all(refused)).map(({ status }) => status)).toEqual([403, 403, 403, 403, 403, 403]);
});
