import type { JobNotice, TaskNotice } from "../../../../../shared/integrations/notify/rules/taskNotice.ts";

export const build: JobNotice = {
  name: "job-0-0-0-build",
  displayName: "build-checkout-api",
  type: "zadig-build",
  words: ["Build", "构建"],
  status: "passed",
  startTime: 1_700_000_010,
  endTime: 1_700_000_040,
  error: "",
  spec: {
    kind: "build",
    image: "registry.example.com/shop/api:1",
    repositories: [
      {
        source: "github",
        address: "https://github.com",
        owner: "acme",
        namespace: "acme",
        name: "checkout",
        branch: "main",
        pullRequests: [7, 3],
        tag: "",
        authorName: "Ada",
        commitId: "0123456789abcdef0123456789abcdef01234567",
        commitMessage: "fix: rounding",
        isPrimary: true,
      },
      {
        source: "gitlab",
        address: "https://gitlab.example.com/",
        owner: "acme",
        namespace: "acme/tools",
        name: "scripts",
        branch: "dev",
        pullRequests: [],
        tag: "",
        authorName: "",
        commitId: "fedcba",
        commitMessage: "",
        isPrimary: false,
      },
    ],
  },
};

export const deploy: JobNotice = {
  name: "job-1-0-0-deploy",
  displayName: "deploy-checkout",
  type: "zadig-deploy",
  words: ["Deploy", "部署"],
  status: "failed",
  startTime: 1_700_000_040,
  endTime: 1_700_000_060,
  error: "not ready",
  spec: {
    kind: "deploy",
    environment: "dev",
    serviceName: "checkout",
    serviceModules: [{ serviceModule: "api", image: "registry.example.com/shop/api:1" }],
  },
};

/** A workflow task that ran from 22:13:20 to 22:14:25 UTC on 14 November 2023. */
export function noticeWith(changes: Partial<TaskNotice> = {}): TaskNotice {
  return {
    taskRecordId: "655400000123456789abcdef",
    attempt: 1,
    workflow: { id: "0123456789abcdef01234567", key: "ship-shop", displayName: "Ship the shop" },
    project: { key: "shop", displayName: "Web Shop" },
    taskId: 42,
    taskType: "workflow",
    status: "failed",
    remark: "hotfix",
    error: "",
    creator: { id: "u1", name: "Ada", email: "ada@example.com" },
    createTime: 1_700_000_000,
    startTime: 1_700_000_000,
    endTime: 1_700_000_065,
    stages: [
      { name: "build", status: "passed", startTime: 1_700_000_010, endTime: 1_700_000_040, error: "", jobs: [build] },
      { name: "deploy", status: "failed", startTime: 1_700_000_040, endTime: 1_700_000_060, error: "", jobs: [deploy] },
    ],
    pendingStage: "",
    stageExecutors: [],
    time: 1_700_000_065,
    baseUrl: "https://slipway.example.com",
    language: "en",
    timeZone: "UTC",
    ...changes,
  };
}

/** The address that leads to the task of `noticeWith` in the console. */
export const taskPage =
  "https://slipway.example.com/v1/projects/detail/shop/pipelines/custom/ship-shop/42?display_name=Ship%20the%20shop";
