import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startAwsStandIn } from "../../../infra/local/aws/start.ts";
import { ensureReconcilerSchedule } from "../../../infra/local/reconcilerSchedule.ts";
import { startTable } from "../../../infra/local/table/startTable.ts";
import { bootstrapAdministrator } from "../../../shared/identity/session/bootstrapAdministrator.ts";
import { forgetConfig } from "../../../shared/settings/config.ts";
import { givenTable } from "../../harness/givenTable.ts";

export interface Cloud {
  /** Environment of a function: what the stack would set, pointing to this machine. */
  environment: Readonly<Record<string, string>>;
  adminToken: string;
  close(): Promise<void>;
}

const idle = { StartAt: "Done", States: { Done: { Type: "Succeed" } } };
const quiet = async (): Promise<void> => {};

/** The table of the tests and the stand-ins of the other services, with idle functions, and an administrator unless told. */
export async function startCloud({ administrator = true } = {}): Promise<Cloud> {
  const dataDir = mkdtempSync(join(tmpdir(), "slipway-cloud-"));
  const given = givenTable(dataDir);
  const started = await startTable({ dataDir, ...given });
  const aws = await startAwsStandIn({
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
  const environment = {
    AWS_REGION: "us-east-1",
    ...given.settings,
    SLIPWAY_AWS_ENDPOINT: aws.endpoint,
    SLIPWAY_KMS_KEY: aws.keyId,
    SLIPWAY_ENVIRONMENT_CHANGE_ARN: aws.stateMachineArn("environment-change"),
    SLIPWAY_WORKFLOW_TASK_ARN: aws.stateMachineArn("workflow-task"),
    SLIPWAY_JOB_ARN: aws.stateMachineArn("job"),
    SLIPWAY_RELEASE_PLAN_ARN: aws.stateMachineArn("release-plan"),
    SLIPWAY_DELIVERY_VERSION_ARN: aws.stateMachineArn("delivery-version"),
  };
  Object.assign(process.env, environment);
  forgetConfig();
  const adminToken = "bundle-administrator-token-of-32-characters";
  if (administrator) await bootstrapAdministrator({ adminToken });
  await ensureReconcilerSchedule(aws.functionArn("reconciler"));
  return {
    environment,
    adminToken,
    close: async () => {
      await aws.close();
      started.close();
      await given.remove();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
