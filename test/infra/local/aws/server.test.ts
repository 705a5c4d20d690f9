import { once } from "node:events";
import { request } from "node:http";
import { text } from "node:stream/consumers";
import { expect, it } from "vitest";
import { startTestAws } from "./harness.ts";

const SIGNED = "AWS4-HMAC-SHA256 Credential=a/20260101/us-east-1/s3/aws4_request, SignedHeaders=host, Signature=0";

async function send(endpoint: string, headers: Record<string, string>, path = "/bucket/?list-type=2") {
  const outgoing = request(`${endpoint}${path}`, { headers }).end();
  const [answer] = await once(outgoing, "response");
  return { status: answer.statusCode, body: await text(answer) };
}

it("answers loopback names only", async () => {
  const { endpoint } = await startTestAws();
  const port = new URL(endpoint).port;
  for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`]) {
    expect(await send(endpoint, { host, authorization: SIGNED })).toMatchObject({ status: 200 });
  }
  for (const host of ["evil.example", `evil.example:${port}`, "127.0.0.1.evil.example", "localhost.evil.example"]) {
    expect(await send(endpoint, { host, authorization: SIGNED })).toMatchObject({ status: 403 });
  }
});

it("refuses what is not signed for a service, as a page in a browser would send it", async () => {
  const { endpoint } = await startTestAws();
  expect(await send(endpoint, {})).toMatchObject({ status: 403 });
  const other = SIGNED.replace("/s3/", "/constructor/");
  expect(await send(endpoint, { authorization: other })).toMatchObject({ status: 403 });
});

it("answers a damaged path or operation by an error, not by a crash", async () => {
  const { endpoint } = await startTestAws();
  expect(await send(endpoint, { authorization: SIGNED }, "/bucket/%E0%A4%A")).toMatchObject({ status: 400 });
  const states = SIGNED.replace("/s3/", "/states/");
  const answer = await send(endpoint, { authorization: states, "x-amz-target": "AWSStepFunctions.toString" });
  expect(answer).toMatchObject({ status: 400, body: expect.stringContaining("UnknownOperationException") });
});
