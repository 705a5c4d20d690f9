import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { handler as reconcile } from "../../../../functions/triggers/reconciler/handler.ts";
import { config } from "../../../../shared/base/settings/config.ts";
import { mustExist } from "../../../../shared/base/store/conditions.ts";
import { keys, padded } from "../../../../shared/base/store/keys/keys.ts";
import { table } from "../../../../shared/base/store/table.ts";
import { update } from "../../../../shared/base/store/writes.ts";
import { localClusterId } from "../../../harness/boutique.ts";
import { type CodeHostApis, startCodeHostApis } from "../../../harness/codeHostApis.ts";
import { indexesShowAll } from "../../../harness/indexesShowAll.ts";
import { type Slipway, startSlipway } from "../../../harness/slipway.ts";
import { waitFor } from "../../../harness/waitFor.ts";

const token = "token-of-the-code-host";
const success = { message: "success" };
const registry_id = "0123456789abcdef12345679";
let slipway: Slipway;
let apis: CodeHostApis;

beforeAll(async () => {
  apis = await startCodeHostApis(token);
  slipway = await startSlipway({ podDelayMilliseconds: 0, settings: { SLIPWAY_OUTBOUND_ALLOW: "127.0.0.0/8" } });
  for (const type of ["github", "gitlab", "gitea", "gitee", "gerrit"])
    await expectSuccess("POST", "/api/aslan/system/codehosts", {
      ...{ type, address: `${apis.url}/`, alias: type, auth_type: "token", access_token: token },
    });
  await expectSuccess("POST", "/openapi/projects/project", {
    ...{ project_name: "shop", project_key: "shop", project_type: "yaml" },
  });
  const environment = { env_key: "dev", namespace: "shop-dev", cluster_id: localClusterId, registry_id, services: [] };
  await expectSuccess("POST", "/openapi/environments?projectKey=shop", environment);
  await waitFor("the environment", async () => {
    const { text } = await slipway.call("GET", "/openapi/environments/dev?projectKey=shop");
    return text.includes('"stored_status":"success"');
  });
});

afterAll(async () => {
  await slipway.close();
  await apis.close();
});

beforeEach(() => {
  Object.assign(apis, { text: configMap("red"), status: undefined });
});

async function expectSuccess(method: string, path: string, body: object): Promise<void> {
  const answer = await slipway.call(method, path, { body });
  expect([answer.status, answer.text]).toEqual([200, expect.anything()]);
}

const configMap = (colour: string, name = "settings") =>
  JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: { colour } });

const source = (codehost_key: string, more: object = {}) => ({
  git_repo_config: {
    ...{ codehost_key, owner: codehost_key === "gitlab" ? "team/sub" : "team", repo: "shop", branch: "release/1" },
    ...more,
  },
  load_path: "config/prod/settings.yaml",
});

const body = (yaml_data: string, more: object = {}) => ({
  ...{ name: "settings", common_env_cfg_type: "ConfigMap", env_key: "dev", yaml_data, ...more },
});

const create = (more: object) =>
  slipway.call<{ code: number; description: string }>("POST", "/openapi/environments/dev/envcfgs?projectKey=shop", {
    body: body(configMap("red"), more),
  });
const change = (yaml: string, more: object = {}) =>
  slipway.call("PUT", "/openapi/environments/envcfgs?projectKey=shop", { body: body(yaml, more) });
const path = "/openapi/environments/dev/envcfg/settings?projectKey=shop&type=ConfigMap";
const remove = () => slipway.call("DELETE", path);

interface Shown {
  cm_data: { colour: string };
  update_by: string;
  auto_sync?: true;
  source_detail?: object;
  sync_error?: string;
}

async function shown(): Promise<Shown> {
  return (await slipway.call<{ configMap_detail: Shown }>("GET", path)).json.configMap_detail;
}

/** A run of the reconciler, as if the time between two looks had passed. */
async function later(): Promise<Shown> {
  await due("dev", "settings");
  await reconcile();
  return shown();
}

async function due(env: string, name: string): Promise<void> {
  const key = keys.followedConfig("shop", env, "ConfigMap", name);
  await table().write(update(key, { set: { dueSk: padded(0) } }, mustExist));
  await indexesShowAll();
}

const isOn = async (): Promise<boolean> => {
  const { SLIPWAY_SWEEP_SCHEDULE: name } = config();
  await reconcile();
  return slipway.runtime.aws.schedules.get(name)?.definition.State === "ENABLED";
};

describe("a configuration with auto_sync", () => {
  test.each(["github", "gitlab", "gitea", "gitee"])("follows its file on %s", async (host) => {
    expect((await create({ auto_sync: true, source_detail: source(host) })).json).toEqual(success);
    expect(await later()).toMatchObject({ cm_data: { colour: "red" }, update_by: "admin", auto_sync: true });
    apis.text = configMap("blue");
    expect(await later()).toMatchObject({ cm_data: { colour: "blue" }, update_by: "system", auto_sync: true });
    const history = "/openapi/environments/dev/envcfg/settings/history?projectKey=shop&type=ConfigMap";
    const { json } = await slipway.call<{ yaml_data: string; source_detail: object }[]>("GET", history);
    expect(json[0]).toMatchObject({ yaml_data: configMap("blue"), source_detail: source(host) });
    expect((await remove()).json).toEqual(success);
  });

  test("keeps what somebody changed until the file changes, and stays as it is without auto_sync", async () => {
    await create({ auto_sync: true, source_detail: source("gitea") });
    await change(configMap("green"));
    expect(await later()).toMatchObject({ cm_data: { colour: "green" } });
    apis.text = configMap("blue");
    expect(await later()).toMatchObject({ cm_data: { colour: "blue" } });
    await waitFor("the sweep to be on", isOn);
    expect((await change(configMap("blue"), { auto_sync: false })).json).toEqual(success);
    apis.text = configMap("violet");
    await reconcile();
    const after = await shown();
    expect([after.cm_data.colour, after.auto_sync]).toEqual(["blue", undefined]);
    await waitFor("the sweep to be off", async () => !(await isOn()));
    await remove();
  });

  test("says why its file cannot be taken, and goes on when it can again", async () => {
    await create({ auto_sync: true, source_detail: source("gitea") });
    const what = "file config/prod/settings.yaml on branch release/1 of team/shop";
    apis.text = undefined;
    const gone = `code host gitea has no ${what}, or its access token may not see it`;
    expect(await later()).toMatchObject({ cm_data: { colour: "red" }, sync_error: gone });
    Object.assign(apis, { text: "later", status: 503 });
    expect((await later()).sync_error).toBe(`code host gitea answers with status 503 when asked for ${what}`);
    Object.assign(apis, { text: configMap("blue", "other"), status: undefined });
    expect((await later()).sync_error).toBe("metadata.name is other, but the configuration is settings");
    apis.text = "x".repeat(1_000_001);
    expect((await later()).sync_error).toContain("longer than 1000000 bytes");
    apis.text = configMap("blue");
    const healed = await later();
    expect([healed.cm_data.colour, healed.sync_error]).toEqual(["blue", undefined]);
    await remove();
  });

  test("may come with a new environment, which is refused where the file cannot be read", async () => {
    const made = (env_key: string, ...env_configs: object[]) =>
      slipway.call<{ code: number; description: string }>("POST", "/openapi/environments?projectKey=shop", {
        body: {
          ...{ env_key, namespace: `shop-${env_key}`, cluster_id: localClusterId, registry_id, services: [] },
          env_configs: env_configs.map((more, at) => ({
            ...{ yaml_data: configMap("red", `settings-${at}`), common_env_cfg_type: "ConfigMap" },
            ...more,
          })),
        },
      });
    const follows = { auto_sync: true, source_detail: source("gitea") };
    const flat = { auto_sync: true, ...source("gitea") };
    const { status, json } = await made("qa", follows, { auto_sync: true, source_detail: source("nobody") });
    const problem = "env_configs[1]: source_detail.git_repo_config.codehost_key: code host nobody does not exist";
    expect([status, json.code, json.description]).toEqual([400, 6074, problem]);
    expect((await slipway.call("GET", "/openapi/environments/qa?projectKey=shop")).status).toBe(404);

    expect((await made("qa", follows, flat, { source_detail: source("gitea") })).json).toEqual(success);
    const shownOf = async (at: number) => {
      const path = `/openapi/environments/qa/envcfg/settings-${at}?projectKey=shop&type=ConfigMap`;
      return (await slipway.call<{ configMap_detail?: Shown }>("GET", path)).json.configMap_detail;
    };
    await waitFor("the last configuration", async () => (await shownOf(2))?.update_by === "admin");
    for (const [at, auto_sync] of [true, true, undefined].entries()) {
      const detail = await shownOf(at);
      expect([detail?.auto_sync, detail?.source_detail]).toEqual([auto_sync, source("gitea")]);
    }
    for (const at of [0, 1]) {
      apis.text = configMap("blue", `settings-${at}`);
      await due("qa", `settings-${at}`);
      await reconcile();
      expect(await shownOf(at)).toMatchObject({ cm_data: { colour: "blue" }, update_by: "system" });
    }
    await slipway.call("DELETE", "/openapi/environments/qa?projectKey=shop&isDelete=true");
  });

  test.each([
    ["no source", {}, "git_repo_config.codehost_key is required while auto_sync is true"],
    ["no path", { source_detail: { ...source("gitea"), load_path: "" } }, "load_path is required"],
    ["an unknown code host", { source_detail: source("nobody") }, "code host nobody does not exist"],
    ["a code host without files", { source_detail: source("gerrit") }, "github, gitlab, gitee and gitea can"],
    ["another branch", { source_detail: source("gitea", { branch: "main" }) }, "code host gitea has no file"],
  ])("is refused with %s", async (_, more, problem) => {
    const { status, json } = await create({ auto_sync: true, ...more });
    expect([status, json.code, json.description]).toEqual([400, 6090, expect.stringContaining(problem)]);
    expect((await slipway.call("GET", path)).status).toBe(404);
  });
});
