import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startAdapters } from "../../../infra/local/aws/start.ts";
import { ensureReconcilerSchedule } from "../../../infra/local/runtime.ts";
import { startTable } from "../../../infra/local/table/startTable.ts";
import { bootstrapAdministrator } from "../../../shared/access/identity/session/bootstrapAdministrator.ts";
import { removeConfig } from "../../../shared/base/settings/config.ts";
import { givenTable } from "../../harness/givenTable.ts";
import { startAwsEndpoint } from "./awsEndpoint.ts";

export interface Cloud {
  /** Environment of a function: what the stack would set, pointing to this machine. */
  environment: Readonly<Record<string, string>>;
  adminToken: string;
  close(): Promise<void>;
}

const idle = { StartAt: "Done", States: { Done: { Type: "Succeed" } } };
const quiet = async (): Promise<void> => {};

/**
 * The table of the tests and adapters with idle functions, which this process uses itself and bundles reach as AWS, and an
 * administrator unless told otherwise.
 */
export async function startCloud({ administrator = true, secrets = {} } = {}): Promise<Cloud> {
  const dataDir = mkdtempSync(join(tmpdir(), "slipway-cloud-"));
  const given = givenTable(dataDir);
  const started = await startTable({ dataDir, ...given });
  const aws = startAdapters({
    dataDir: join(dataDir, "aws"),
    functions: {
      "cluster-watcher": quiet,
      reconciler: quiet,
      "registry-refresh": quiet,
      "sleep-schedule": quiet,
      "plan-follower": quiet,
      "trigger-starter": quiet,
    },
    stateMachines: {
      "environment-change": idle,
      "workflow-task": idle,
      job: idle,
      "release-plan": idle,
      "delivery-version": idle,
    },
  });
  const endpoint = await startAwsEndpoint(aws, secrets);
  const environment = {
    AWS_REGION: "us-east-1",
    ...given.settings,
    AWS_ENDPOINT_URL: endpoint.url,
    AWS_ACCESS_KEY_ID: "any",
    AWS_SECRET_ACCESS_KEY: "any",
    SLIPWAY_ENVIRONMENT_CHANGE_ARN: "environment-change",
    SLIPWAY_WORKFLOW_TASK_ARN: "workflow-task",
    SLIPWAY_JOB_ARN: "job",
    SLIPWAY_RELEASE_PLAN_ARN: "release-plan",
    SLIPWAY_DELIVERY_VERSION_ARN: "delivery-version",
  };
  Object.assign(process.env, environment);
  removeConfig();
  const adminToken = "bundle-administrator-token-of-32-characters";
  if (administrator) await bootstrapAdministrator({ adminToken });
  ensureReconcilerSchedule(aws.scheduler);
  return {
    environment,
    adminToken,
    close: async () => {
      await endpoint.close();
      await aws.close();
      started.close();
      await given.remove();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
