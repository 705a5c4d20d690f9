import { createHmac } from "node:crypto";
import { expect } from "vitest";
import type { HookReceiver, ReceivedHook } from "./hookReceiver.ts";
import { hookToken, type PipelineProject } from "./pipelineProject.ts";
import type { ShownTask } from "./tasks.ts";

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** What the webhooks and the chat got of a task that passed, in order, each part as contract W 15 has it. */
export async function expectMessages(
  hooks: HookReceiver,
  {
    project,
    task,
    image,
    gitAddress,
  }: { project: PipelineProject; task: ShownTask; image: string; gitAddress: string },
): Promise<void> {
  const { ann, commit } = project;
  const told = {
    ...{ task_id: 1, project_name: "shop", project_display_name: "Web Shop" },
    ...{ workflow_name: "ship", workflow_display_name: "Ship It", remark: "", error: "" },
    detail_url: "https://slipway.example.com/v1/projects/detail/shop/pipelines/custom/ship?display_name=Ship%20It",
    ...{ create_time: task.create_time, start_time: expect.any(Number), end_time: 0 },
    ...{ task_creator: "Ann", task_creator_id: ann.uid, task_creator_email: "ann@example.com", task_type: "workflow" },
  };
  const repository = {
    ...{ source: "gitlab", repo_owner: "team", repo_namespace: "team", repo_name: "web", branch: "main", tag: "" },
    ...{ prs: [], author_name: "Ada", commit_id: commit, commit_message: "Sell more" },
    commit_url: `${gitAddress}/team/web/-/commit/${commit}`,
  };
  const specs: Record<string, object | null> = {
    "job-0-0-0-unit": null,
    "job-1-0-0-build": { repositories: [repository], image: task.stages[1]?.status === "passed" ? image : "" },
    "job-2-0-0-consent": null,
    "job-3-0-0-deploy": { env: "dev", service_name: "web", service_modules: [{ service_module: "main", image }] },
  };
  const stages = task.stages.map(({ jobs, ...stage }) => ({
    ...{ name: stage.name, status: stage.status, start_time: stage.start_time, end_time: stage.end_time, error: "" },
    jobs: jobs.map(({ name, display_name, type, status, start_time, end_time, error }) => ({
      ...{ name, display_name, type, status, start_time, end_time, error, spec: specs[name] },
    })),
  }));

  const [created, waits, passed] = await bodiesOf(hooks, "/task", 3);
  expect(created?.workflow).toMatchObject({ ...told, status: "waiting" });
  // Nothing of it ran, and what is not known yet is not made up.
  expect(JSON.stringify(created)).not.toContain("{{");
  expect(created?.workflow.stages).toEqual(
    stages.map(({ name, jobs }) => ({
      ...{ name, status: "", start_time: 0, end_time: 0, error: "" },
      jobs: jobs.map((job) => ({
        ...{ name: job.name, display_name: job.display_name, type: job.type },
        ...{ status: "", start_time: 0, end_time: 0, error: "", spec: expect.toSatisfy(() => true) },
      })),
    })),
  );
  expect(waits?.workflow).toEqual({ ...told, status: "running", stages: null, task_type: "" });
  const end = { ...told, status: "passed", start_time: task.start_time, end_time: task.end_time, stages };
  expect(passed?.workflow).toEqual(end);
  expect((await bodiesOf(hooks, "/changed", 1)).map(({ workflow }) => workflow)).toEqual([end]);
  const ofDeploy = await bodiesOf(hooks, "/deploy", 2);
  expect(ofDeploy.map(({ workflow }) => [workflow.status, workflow.stages?.[3]?.jobs[0]?.status])).toEqual([
    ["running", "prepare"],
    ["running", "passed"],
  ]);
  const [chat] = await hooks.receivedOn("/chat", 1);
  const text: string = JSON.parse(chat?.body ?? "").markdown.content;
  expect(text).toContain("workflow Ship It #1 Passed");
  expect(text).toContain("3(Success) 1(Failed) 4(Total)");
}

interface Body {
  workflow: { status: string; stages: { jobs: { status: string }[] }[] | null } & Record<string, unknown>;
}

/** All calls of a path, each with its headers and signature checked (contract W 15.3, decisions 7.8). */
async function bodiesOf(hooks: HookReceiver, path: string, count: number): Promise<Body[]> {
  const calls = await hooks.receivedOn(path, count);
  expect(calls).toHaveLength(count);
  return calls.map((call) => {
    expectSigned(call);
    const body = JSON.parse(call.body);
    expect(body).toEqual({ object_kind: "workflow", event: "workflow", workflow: body.workflow, release_plan: null });
    return body;
  });
}

function expectSigned({ method, headers, body }: ReceivedHook): void {
  expect(method).toBe("POST");
  expect(headers).toMatchObject({
    "content-type": "application/json",
    "x-zadig-token": hookToken,
    "x-zadig-instance": "https://slipway.example.com",
    "x-zadig-event": "workflow",
    "x-zadig-event-uuid": expect.stringMatching(uuid),
    "x-zadig-webhook-uuid": expect.stringMatching(uuid),
  });
  const [, time = "", signature] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(headers["x-slipway-signature"])) ?? [];
  expect(signature).toBe(createHmac("sha256", hookToken).update(`${time}.${body}`).digest("hex"));
}
