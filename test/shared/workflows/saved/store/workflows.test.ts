import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { newId } from "../../../../../shared/base/store/ids.ts";
import { keys } from "../../../../../shared/base/store/keys/keys.ts";
import { table } from "../../../../../shared/base/store/table.ts";
import { ConditionFailed } from "../../../../../shared/base/store/tableClient.ts";
import {
  changeWorkflow,
  createWorkflow,
  findWorkflow,
  listWorkflows,
  removeWorkflow,
  type VersionedWorkflow,
  type Workflow,
} from "../../../../../shared/workflows/saved/store/workflows.ts";
import { indexesShowAll } from "../../../../harness/indexesShowAll.ts";
import { type Slipway, startSlipway } from "../../../../harness/slipway.ts";

let slipway: Slipway;

beforeAll(async () => {
  slipway = await startSlipway();
  for (const project_key of ["store", "other"])
    await slipway.call("POST", "/openapi/projects/project", {
      body: { project_name: project_key, project_key, is_public: false, project_type: "yaml" },
    });
});

afterAll(() => slipway.close());

function workflow(key: string, also: Partial<Workflow> = {}): Workflow {
  const source = { name: key, project: "store", vendor: { field: [1, null] } };
  const times = { createdBy: "Ann", createdAt: 1, updatedBy: "Ann", updatedAt: 2 };
  return { workflowId: newId(), key, displayName: `The ${key}`, projectKey: "store", source, ...times, ...also };
}

async function stored(key: string): Promise<VersionedWorkflow> {
  const found = await findWorkflow(key);
  if (found === undefined) throw new Error(`${key} was not stored`);
  return found;
}

async function lost(work: Promise<void>): Promise<readonly string[]> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return error instanceof ConditionFailed ? error.failed : [];
}

describe("the repository of workflows", () => {
  test("returns what was stored, with what a dispatcher needs beside it", async () => {
    const source = { name: "full", project: "store", disabled: true, concurrency_limit: -1, "x-y": [{ z: "" }] };
    const given = workflow("full", { source });
    await createWorkflow(given);
    expect(await stored("full")).toMatchObject({ ...given, version: 1, disabled: true, concurrencyLimit: -1 });
    const item = await table().get<Record<string, unknown>>(keys.workflow("full"));
    expect(item).toMatchObject({ disabled: true, concurrencyLimit: -1 });
    expect(await findWorkflow("nobody")).toBeUndefined();
  });

  test("gives a key once in the whole installation, and a display name once in a project", async () => {
    await createWorkflow(workflow("first"));
    expect(await lost(createWorkflow(workflow("first", { projectKey: "other", displayName: "Else" })))).toContain(
      "workflow",
    );
    expect(await lost(createWorkflow(workflow("second", { displayName: "The first" })))).toContain("workflow name");
    await createWorkflow(workflow("third", { projectKey: "other", displayName: "The first" }));
  });

  test("is lost to nobody: the second change of the same version fails, and a new name frees the old one", async () => {
    await createWorkflow(workflow("changing"));
    const before = await stored("changing");
    const fields = async () => Object.keys((await table().get<object>(keys.workflow("changing"))) ?? {}).sort();
    const fieldsBefore = await fields();
    await changeWorkflow(before, { ...before, displayName: "Renamed" });
    expect(await fields()).toEqual(fieldsBefore);
    expect(await lost(changeWorkflow(before, before))).toContain("workflow");
    await createWorkflow(workflow("taking", { displayName: "The changing" }));
    expect(await lost(removeWorkflow(before))).toContain("workflow");
    await removeWorkflow(await stored("changing"));
    expect(await findWorkflow("changing")).toBeUndefined();
    await createWorkflow(workflow("renamed", { displayName: "Renamed" }));
  });

  test("makes none in a project that is not there", async () => {
    expect(await lost(createWorkflow(workflow("homeless", { projectKey: "nowhere" })))).toEqual(["project"]);
  });

  test("keeps a definition that an item could not hold", async () => {
    const source = { name: "large", project: "store", text: "x".repeat(600_000) };
    await createWorkflow(workflow("large", { source }));
    expect((await stored("large")).source).toEqual(source);
  });

  test("lists the workflows of one project by key", async () => {
    await indexesShowAll();
    const listed = (await listWorkflows("other")).map(({ key }) => key);
    expect(listed).toEqual(["third"]);
    const keysOfStore = (await listWorkflows("store")).map(({ key }) => key);
    expect(keysOfStore).toEqual([...keysOfStore].sort());
  });
});
