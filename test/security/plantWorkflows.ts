import type { Canaries } from "./canaries.ts";

interface Doors {
  canaries: Canaries;
  ok<T>(method: string, path: string, body?: unknown): Promise<T>;
  refused(method: string, path: string, body: unknown): Promise<void>;
}

const saving = ["/api/aslan/workflow/v4", "/openapi/workflows/custom"];

/** Where `plantWorkflows` plants something. */
export const plantedWorkflows = [
  ...saving.flatMap((path) => [`POST ${path} is_credential`, `PUT ${path}/{name} is_credential`]),
  "POST /api/aslan/workflow/v4/lint is_credential",
  ...["generalhook", "jirahook"].flatMap((kind) => [
    `POST /api/aslan/workflow/v4/${kind}/{workflowName} secret`,
    `PUT /api/aslan/workflow/v4/${kind}/{workflowName} secret`,
  ]),
];

/** Credentials of workflows of a project: created, changed, sent back as stars, refused and shown. */
export async function plantWorkflows({ canaries, ok, refused }: Doors, project: string): Promise<void> {
  for (const [at, path] of saving.entries()) {
    const name = `secret-${at}`;
    const definition = (of: string) => definitionOf(name, project, (what) => canaries.plant(`${what} of ${of} ${at}`));
    await ok("POST", path, definition("a workflow"));
    await ok("PUT", `${path}/${name}`, definition("a changed workflow"));
    await refused("POST", path, definition("a workflow of a taken key"));
    await refused("PUT", `${path}/absent`, { ...definition("a workflow that is not there"), name: "absent" });
    await refused("PUT", `${path}/${name}`, { ...definition("a refused workflow"), stages: "none" });
    const ofProject = `?projectKey=${project}`;
    await ok("GET", `/openapi/workflows/custom/${name}/detail${ofProject}`);
    await ok("GET", `/api/aslan/workflow/v4/preset/${name}${ofProject}`);
    const read = await ok<object>("GET", `/api/aslan/workflow/v4/name/${name}${ofProject}`);
    await ok("PUT", `${path}/${name}`, read);
    for (const kind of ["generalhook", "jirahook"]) {
      const hooks = `/api/aslan/workflow/v4/${kind}/${name}`;
      const hook = (of: string) => ({
        name: "ci",
        secret: canaries.plant(`the secret of ${of} of kind ${kind} ${at}`),
      });
      await ok("POST", hooks, hook("a hook"));
      await ok("PUT", hooks, hook("a changed hook"));
      await refused("POST", hooks, hook("a hook of a taken name"));
      await refused("PUT", hooks, { ...hook("a refused hook"), enabled: "no" });
      await ok("GET", hooks);
    }
  }
  await ok(
    "POST",
    "/api/aslan/workflow/v4/lint",
    definitionOf("linted", project, (what) => canaries.plant(`linted ${what}`)),
  );
}

function definitionOf(name: string, project: string, secret: (what: string) => string): Record<string, unknown> {
  const spec = {
    envs: [{ key: "LOGIN", value: secret("a variable"), is_credential: true }],
    repos: [{ codehost_id: 1, repo_name: "shop", oauth_token: secret("a repository"), ssh_key: secret("a key") }],
  };
  const vendor = { connection: { api_key: secret("a vendor's key") }, password: [secret("a listed password")] };
  const webhook_notification_config = { address: "https://hook.example.com", token: secret("a hook") };
  return {
    ...{ name, project },
    params: [
      { name: "login", is_credential: true, value: secret("a parameter"), default: secret("a default") },
      { name: "many", is_credential: true, type: "multi-select", choice_value: [secret("a choice")] },
    ],
    notify_ctls: [{ webhook_type: "webhook", webhook_notification_config }],
    stages: [
      {
        name: "s",
        jobs: [
          { name: "script", type: "freestyle", spec },
          { name: "vendor", type: "vendor-check", spec: vendor },
        ],
      },
    ],
  };
}
