import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { keys } from "../../../../shared/base/store/keys/keys.ts";
import { table } from "../../../../shared/base/store/table.ts";
import { openDefinition } from "../../../../shared/workflows/saved/credentials.ts";
import { findWorkflow } from "../../../../shared/workflows/saved/store/workflows.ts";
import { type Slipway, startSlipway } from "../../../harness/slipway.ts";
import { expectSuccess, workflowCalls } from "./workflowCalls.ts";

let slipway: Slipway;
const calls = workflowCalls(() => slipway);

beforeAll(async () => {
  slipway = await startSlipway();
  await calls.project("demo");
});

afterAll(() => slipway.close());

const mask = "********";
const hook = (address: string, token: string) => ({
  webhook_type: "webhook",
  webhook_notification_config: { address, token },
});
const repo = (oauth_token: string) => ({ codehost_id: 1, repo_name: "shop", oauth_token });

/** Every sort of credential, each with the text that `of` gives for it. */
function workflow(name: string, of: (what: string) => string) {
  const spec = {
    envs: [
      { key: "OPEN", value: "seen" },
      { key: "HIDDEN", value: of("variable"), is_credential: true },
    ],
    repos: [repo(of("repository"))],
    vendor: { api_key: of("vendor"), level: 3 },
  };
  return {
    name,
    project: "demo",
    params: [
      { name: "login", is_credential: true, value: of("parameter"), default: of("default") },
      { name: "many", is_credential: true, choice_value: [of("first"), of("second")] },
      { name: "empty", is_credential: true, value: "" },
    ],
    notify_ctls: [hook("https://a.example.com", of("hook a")), hook("https://b.example.com", of("hook b"))],
    stages: [{ name: "s", jobs: [{ name: "j", type: "freestyle", spec }] }],
  };
}

const secret = (what: string) => `secret of ${what}`;
const shown = (what: string) => (what === "repository" ? "" : mask);

async function opened(key: string): Promise<unknown> {
  const found = await findWorkflow(key);
  if (found === undefined) throw new Error(`${key} is not stored`);
  return openDefinition(found);
}

describe("credentials of a workflow", () => {
  test("are shown as stars, those of repositories as nothing, and stand in no plain item", async () => {
    expectSuccess(await calls.create(workflow("shown", secret)));
    for (const answer of [await calls.named("shown"), await calls.preset("shown")])
      expect(answer.json).toMatchObject(workflow("shown", shown));
    expect((await calls.detail("shown")).text).not.toContain("secret of");
    const items = await table().query({ pk: keys.workflow("shown").pk });
    expect(items.length).toBeGreaterThan(1);
    expect(JSON.stringify(items)).not.toContain("secret of");
    expect(await opened("shown")).toMatchObject(workflow("shown", secret));
  });

  test("stay when what was read is sent back, wherever it moved in its list", async () => {
    await calls.create(workflow("kept", secret));
    const read = (await calls.named("kept")).json as ReturnType<typeof workflow>;
    read.notify_ctls.reverse();
    read.params.reverse();
    expectSuccess(await calls.update("kept", read));
    const whole = workflow("kept", secret);
    whole.notify_ctls.reverse();
    whole.params.reverse();
    expect(await opened("kept")).toMatchObject(whole);
  });

  test("are replaced one by one, and go when their place goes", async () => {
    await calls.create(workflow("replaced", secret));
    const changed = (what: string) => (what === "variable" ? "another" : shown(what));
    expectSuccess(await calls.update("replaced", workflow("replaced", changed)));
    const expected = (what: string) => (what === "variable" ? "another" : secret(what));
    expect(await opened("replaced")).toMatchObject(workflow("replaced", expected));
    expectSuccess(await calls.update("replaced", { name: "replaced", project: "demo" }));
    expect(await table().get(keys.workflowCredentials("replaced"))).toBeUndefined();
    const back = await calls.update("replaced", workflow("replaced", shown));
    expect(back.json).toMatchObject({ code: 6545 });
  });

  test("never go to another address than the one that they were given for", async () => {
    await calls.create(workflow("moved", secret));
    const body = { name: "moved", project: "demo", notify_ctls: [hook("https://evil.example.com", mask)] };
    expect((await calls.update("moved", body)).json).toMatchObject({
      code: 6545,
      description: `notify_ctls.webhook_notification_config.token: ${mask} keeps a stored credential, but none is stored here; send its value`,
    });
  });

  test("do not come with a new workflow as stars", async () => {
    expect((await calls.create(workflow("starred", shown))).json).toMatchObject({ code: 6545 });
  });

  test("of a workflow that was deleted are gone", async () => {
    await calls.create(workflow("gone", secret));
    await calls.remove("gone");
    expect(await table().query({ pk: keys.workflow("gone").pk })).toEqual([]);
  });

  test("that were left unquoted numbers are numbers again", async () => {
    const params = [{ name: "pin", is_credential: true, value: 1234 }];
    await calls.create({ name: "numbers", project: "demo", params });
    expect((await calls.named("numbers")).json).toMatchObject({ params: [{ value: mask }] });
    expect(await opened("numbers")).toMatchObject({ params });
  });

  test("are too many above 200", async () => {
    const params = Array.from({ length: 201 }, (_, at) => ({ name: `p${at}`, is_credential: true, value: "x" }));
    expect((await calls.create({ name: "many", project: "demo", params })).json).toMatchObject({ code: 6545 });
  });
});
