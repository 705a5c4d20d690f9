import { expect, test } from "vitest";
import { workflowDefinition } from "../../../../shared/workflows/definition/definition.ts";
import { kind as freestyle } from "../../../../shared/workflows/jobs/freestyle/kind.ts";
import { selectFreestyle } from "../../../../shared/workflows/jobs/freestyle/select.ts";

test("a start that sets variables leaves the storages of the older form to the plan", async () => {
  const storages = {
    enabled: true,
    storages_properties: [{ provision_type: "static", pvc: "cache", mount_path: "/cache" }],
  };
  const spec = { properties: { storages, envs: [{ key: "K", value: "old" }] } };
  const job = { name: "j", type: freestyle.type, spec, service_modules: [], notify_ctls: [] };
  const definition = workflowDefinition.parse({ name: "w", project: "p", stages: [] });
  const chosen = await selectFreestyle(
    job,
    { kv: [{ key: "K", value: "new" }] },
    {
      ...{ project: { key: "p", name: "p" }, workflow: { id: "w", key: "w", name: "w" }, definition, taskId: 1 },
      ...{ creator: { uid: "u", account: "a", name: "n" }, startedAt: 0, keepSecret: (value: string) => value },
    },
  );
  const planned = freestyle.schema.parse(chosen).properties;
  expect(planned?.storages).toMatchObject({ enabled: true, properties: [{ claim: "cache" }] });
  expect(planned?.envs).toMatchObject([{ key: "K", value: "new" }]);
});
