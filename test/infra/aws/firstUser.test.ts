import { afterAll, beforeAll, expect, test } from "vitest";
import { hasDynamoDb } from "../../harness/givenTable.ts";
import { apiGatewayEvent } from "./apiGatewayEvent.ts";
import { type BareProcess, startBareProcess } from "./bareProcess.ts";
import { type Bundled, bundled } from "./bundled.ts";
import { type Cloud, startCloud } from "./cloud.ts";

const secret = "generated-by-the-stack-0123456789abcdefghijklmno";
const path = "/api/aslan/system/initialization/user";
const user = { username: "root", password: "Passw0rd-1", company: "Example", email: "root@example.com" };
let cloud: Cloud;
let bundle: Bundled;
let lambda: BareProcess;

beforeAll(async () => {
  cloud = await startCloud({ administrator: false, secrets: { bootstrap: secret } });
  bundle = bundled("functions/api/identity/handler.ts");
  lambda = await startBareProcess(bundle.directory, {
    ...cloud.environment,
    SLIPWAY_BOOTSTRAP_SECRET_ARN: "bootstrap",
  });
});

afterAll(async () => {
  await lambda.stop();
  bundle.remove();
  await cloud.close();
});

async function initialize(header?: string): Promise<number> {
  const event = apiGatewayEvent("POST", path, { body: user });
  const headers = { ...event.headers, ...(header !== undefined && { "X-Bootstrap-Secret": header }) };
  return ((await lambda.invoke({ ...event, headers })) as { statusCode: number }).statusCode;
}

test.skipIf(!hasDynamoDb)(
  "in AWS the first user is made with the stack's secret, once, and by nothing else",
  async () => {
    expect(await initialize()).toBe(403);
    expect(await initialize("generated-by-somebody-else")).toBe(403);
    expect(await initialize(secret)).toBe(200);
    expect(await initialize(secret)).toBe(403);
    const login = { account: user.username, password: user.password };
    const answer = await lambda.invoke(apiGatewayEvent("POST", "/api/v1/login", { body: login }));
    expect(answer).toMatchObject({ statusCode: 200 });
  },
);
