import { Aws, type CfnElement, Fn, type Stack } from "aws-cdk-lib";
import type { EventBus } from "aws-cdk-lib/aws-events";
import { PolicyStatement, type Role } from "aws-cdk-lib/aws-iam";
import { type MachineName, machines } from "../../../functions/engine/machines.ts";
import { secondFactorField } from "../../../shared/access/identity/secondFactor/secondFactors.ts";
import { loginKeyField } from "../../../shared/access/identity/session/loginKey.ts";
import { tableDefinition } from "../../../shared/base/store/tableDefinition.ts";
import * as names from "../names.ts";
import type { Stored } from "../storage/stored.ts";
import type { ChangeSockets } from "../websocket.ts";
import { type SocketRight, socketRights } from "./socketRights.ts";

/** Of the executions of a state machine. */
type MachineRight<Name extends MachineName> =
  `${"start" | "follow" | "list" | "stop"}${(typeof machines)[Name]["runs"]}`;

/** What a function can be allowed: each is one client of `shared/base/aws` and its like, or one half of it. */
export type Right =
  | "table"
  | "readObjects"
  | "writeObjects"
  | "readJobObjects"
  | "listJobObjects"
  | "writeJobObjects"
  | "removeTaskObjects"
  | "seal"
  | "unseal"
  | "sealForSignIn"
  | MachineRight<MachineName>
  | "completeTask"
  | "startWatcher"
  | "startRegistryRefresh"
  | "startSleepSchedule"
  | "startNotifier"
  | "askHelm"
  | "startPlanFollower"
  | "startApprovalFollower"
  | "startTriggerStarter"
  | "startStatisticsRecount"
  | "publishEvents"
  | "wakeReconciler"
  | "switchSweep"
  | "keepSleepSchedules"
  | "keepPlanSchedules"
  | "keepApprovalSchedules"
  | "keepCronSchedules"
  | "enterClusters"
  | "pullImages"
  | "pushImages"
  | "bootstrapSecret"
  | "askIdentityProvider"
  | "openStreams"
  | "startTeller"
  | SocketRight;

/** A right in IAM's words, with the settings that tell the function where to use it. */
export interface Grant {
  environment: Readonly<Record<string, string>>;
  statements: readonly PolicyStatement[];
  /** Findings of cdk-nag about wildcards in it, and why AWS leaves no other way. */
  wildcards?: Readonly<Record<string, string>>;
}

export type Rights = Readonly<Record<Right, Grant>>;

export interface Resources extends Stored {
  stack: Stack;
  schedulerRole: Role;
  eventBus: EventBus;
  sockets: ChangeSockets | undefined;
  /** As the deployment sets them. */
  settings: Readonly<Record<string, string>>;
  /** Names, `*` at the end for any text. */
  ecrRepositories: readonly string[];
}

/** Only the function that signs people in by a provider needs these settings. */
export const ofIdentityProvider = (setting: string): boolean => setting.startsWith("SLIPWAY_OIDC_");

/** A function does not see its client leave, so a stream ends early and its client comes again. */
const streamSeconds = 120;

/** Roles of other accounts that Slipway may take on to reach an EKS cluster or an ECR must be named so. */
const clusterRoles = "slipway-*";

export function rightsOver(resources: Resources): Rights {
  const { stack, table, bucket, key, bootstrapSecret, schedulerRole, eventBus, settings, ecrRepositories } = resources;
  const texts = bucket.arnForObjects("text/*");
  const jobObjects = bucket.arnForObjects("jobs/*");
  const finding = (keys: string) => `AwsSolutions-IAM5[Resource::${readableArn(stack, bucket)}/${keys}]`;
  const textsWildcard = {
    [finding("text/*")]: "The names of texts are their digests, which nobody knows in advance.",
  };
  const jobObjectsWildcard = {
    [finding("jobs/*")]: "Logs, archives and caches are named after tasks, which run while Slipway does.",
  };
  const { SLIPWAY_OIDC_CLIENT_SECRET_NAME: clientSecret } = settings;
  const onRepositories = (sid: string, actions: readonly string[]): PolicyStatement[] =>
    ecrRepositories.length === 0
      ? []
      : [
          allow(
            sid,
            ecrRepositories.map((name) => names.repositoryArn(stack, name)),
            actions,
          ),
        ];
  const repositoryWildcards = Object.fromEntries(
    ecrRepositories.map((name) => [
      `AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:ecr:*:<AWS::AccountId>:repository/${name}]`,
      "Registries are named while Slipway runs, in any region, and so are repositories under a prefix; the account is named.",
    ]),
  );
  const start = (sid: string, worker: string): Grant => ({
    environment: { SLIPWAY_FUNCTION_PREFIX: names.functionName(stack, "") },
    statements: [allow(sid, names.functionArn(stack, worker), ["lambda:InvokeFunction"])],
  });
  const keepSchedules = (
    worker: string,
    patterns: readonly string[],
    { sid, setting, after }: { sid: string; setting: string; after: string },
  ): Grant => ({
    environment: {
      SLIPWAY_SCHEDULE_GROUP: names.scheduleGroupName(stack),
      [setting]: names.functionArn(stack, worker),
      SLIPWAY_FAILED_EVENTS_ARN: names.failedEventsArn(stack),
      SLIPWAY_SCHEDULER_ROLE_ARN: schedulerRole.roleArn,
    },
    statements: [
      allow(sid, names.scheduleArns(stack, patterns), [
        "scheduler:CreateSchedule",
        "scheduler:UpdateSchedule",
        "scheduler:DeleteSchedule",
      ]),
      allow("GiveScheduleRole", schedulerRole.roleArn, ["iam:PassRole"], {
        StringEquals: { "iam:PassedToService": "scheduler.amazonaws.com" },
      }),
    ],
    wildcards: Object.fromEntries(
      patterns.map((name) => [
        `AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:scheduler:<AWS::Region>:<AWS::AccountId>:schedule/${names.scheduleGroupName(stack)}/${name}]`,
        `Schedules are named after ${after} while Slipway runs; the group is this installation's own.`,
      ]),
    ),
  });
  return {
    table: {
      environment: { SLIPWAY_TABLE: table.tableName },
      statements: [
        allow("Items", table.tableArn, [
          "dynamodb:GetItem",
          "dynamodb:BatchGetItem",
          "dynamodb:Query",
          "dynamodb:PutItem",
          "dynamodb:UpdateItem",
          "dynamodb:DeleteItem",
          "dynamodb:ConditionCheckItem",
        ]),
        allow(
          "Indexes",
          tableDefinition.indexes.map(({ name }) => `${table.tableArn}/index/${name}`),
          ["dynamodb:Query"],
        ),
      ],
    },
    readObjects: {
      environment: { SLIPWAY_BUCKET: bucket.bucketName },
      statements: [allow("ReadTexts", texts, ["s3:GetObject"])],
      wildcards: textsWildcard,
    },
    writeObjects: {
      environment: { SLIPWAY_BUCKET: bucket.bucketName },
      statements: [allow("WriteTexts", texts, ["s3:PutObject"])],
      wildcards: textsWildcard,
    },
    readJobObjects: {
      environment: { SLIPWAY_BUCKET: bucket.bucketName },
      statements: [allow("ReadJobObjects", jobObjects, ["s3:GetObject"])],
      wildcards: jobObjectsWildcard,
    },
    listJobObjects: {
      environment: { SLIPWAY_BUCKET: bucket.bucketName },
      statements: [allow("ListJobObjects", bucket.bucketArn, ["s3:ListBucket"])],
    },
    writeJobObjects: {
      environment: { SLIPWAY_BUCKET: bucket.bucketName },
      statements: [allow("WriteJobObjects", jobObjects, ["s3:PutObject"])],
      wildcards: jobObjectsWildcard,
    },
    removeTaskObjects: {
      environment: { SLIPWAY_BUCKET: bucket.bucketName },
      statements: [allow("RemoveTaskObjects", [jobObjects, bucket.arnForObjects("text/tasks/*")], ["s3:DeleteObject"])],
      wildcards: {
        ...jobObjectsWildcard,
        [finding("text/tasks/*")]:
          "Texts of tasks are named after them and their digests, which nobody knows in advance.",
      },
    },
    seal: {
      environment: { SLIPWAY_KMS_KEY: key.keyArn },
      statements: [allow("Seal", key.keyArn, ["kms:GenerateDataKey"])],
    },
    unseal: {
      environment: { SLIPWAY_KMS_KEY: key.keyArn },
      statements: [allow("Unseal", key.keyArn, ["kms:Decrypt"])],
    },
    // Who signs people in opens no other credential: the key goes with what it was made for.
    sealForSignIn: {
      environment: { SLIPWAY_KMS_KEY: key.keyArn },
      statements: [
        allow("SealForSignIn", key.keyArn, ["kms:GenerateDataKey", "kms:Decrypt"], {
          StringEquals: { "kms:EncryptionContext:field": [secondFactorField, loginKeyField] },
        }),
      ],
    },
    ...rightsOverMachine(stack, "environment-change"),
    ...rightsOverMachine(stack, "workflow-task"),
    ...rightsOverMachine(stack, "job"),
    ...rightsOverMachine(stack, "release-plan"),
    ...rightsOverMachine(stack, "delivery-version"),
    completeTask: {
      environment: {},
      statements: [
        allow(
          "SettleTask",
          Object.keys(machines).map((machine) => names.stateMachineArn(stack, machine)),
          ["states:SendTaskSuccess"],
        ),
      ],
    },
    startWatcher: start("StartWatcher", "cluster-watcher"),
    startRegistryRefresh: start("StartRegistryRefresh", "registry-refresh"),
    startSleepSchedule: start("StartSleepSchedule", "sleep-schedule"),
    askHelm: start("AskHelm", "helm"),
    startNotifier: start("StartNotifier", "notifier"),
    startPlanFollower: start("StartPlanFollower", "plan-follower"),
    startApprovalFollower: start("StartApprovalFollower", "approval-follower"),
    startTriggerStarter: start("StartTriggerStarter", "trigger-starter"),
    startTeller: start("StartTeller", "change-socket"),
    ...socketRights(resources.sockets),
    startStatisticsRecount: start("StartStatisticsRecount", "statistics-recount"),
    publishEvents: {
      environment: { SLIPWAY_EVENT_BUS: eventBus.eventBusName },
      statements: [allow("PublishEvents", eventBus.eventBusArn, ["events:PutEvents"])],
    },
    wakeReconciler: {
      environment: {
        SLIPWAY_SCHEDULE_GROUP: names.scheduleGroupName(stack),
        SLIPWAY_RECONCILER_SCHEDULE: names.reconcilerScheduleName,
      },
      statements: [
        allow("WakeReconciler", names.reconcilerScheduleArn(stack, names.reconcilerScheduleName), [
          "scheduler:GetSchedule",
          "scheduler:UpdateSchedule",
        ]),
        allow("KeepScheduleRole", schedulerRole.roleArn, ["iam:PassRole"], {
          StringEquals: { "iam:PassedToService": "scheduler.amazonaws.com" },
        }),
      ],
    },
    switchSweep: {
      environment: { SLIPWAY_SWEEP_SCHEDULE: names.sweepScheduleName },
      statements: [
        allow("SwitchSweep", names.reconcilerScheduleArn(stack, names.sweepScheduleName), [
          "scheduler:GetSchedule",
          "scheduler:UpdateSchedule",
        ]),
      ],
    },
    keepSleepSchedules: keepSchedules("sleep-schedule", ["sleep-*", "wake-*"], {
      ...{ sid: "KeepSleepSchedules", setting: "SLIPWAY_SLEEP_SCHEDULE_ARN" },
      after: "environments, which are made",
    }),
    keepPlanSchedules: keepSchedules("plan-follower", ["plan-*"], {
      ...{ sid: "KeepPlanSchedules", setting: "SLIPWAY_PLAN_FOLLOWER_ARN" },
      after: "release plans, which are made",
    }),
    keepApprovalSchedules: keepSchedules("approval-follower", ["approval-*"], {
      ...{ sid: "KeepApprovalSchedules", setting: "SLIPWAY_APPROVAL_FOLLOWER_ARN" },
      after: "jobs and stages of tasks, which run",
    }),
    keepCronSchedules: keepSchedules("trigger-starter", ["cron-*"], {
      ...{ sid: "KeepCronSchedules", setting: "SLIPWAY_TRIGGER_STARTER_ARN" },
      after: "triggers of workflows, which are saved",
    }),
    enterClusters: {
      environment: {},
      statements: [
        allow("EnterClusters", Fn.join("", ["arn:", Aws.PARTITION, `:iam::*:role/${clusterRoles}`]), [
          "sts:AssumeRole",
        ]),
      ],
      wildcards: {
        [`AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:iam::*:role/${clusterRoles}]`]:
          "Clusters are registered while Slipway runs and may belong to any account; each role's own trust policy decides.",
      },
    },
    pullImages: {
      environment: {},
      statements: [
        allow("RegistryToken", "*", ["ecr:GetAuthorizationToken"]),
        ...onRepositories("PullImages", [
          "ecr:BatchCheckLayerAvailability",
          "ecr:BatchGetImage",
          "ecr:GetDownloadUrlForLayer",
          "ecr:ListImages",
        ]),
      ],
      wildcards: {
        "AwsSolutions-IAM5[Resource::*]": "ecr:GetAuthorizationToken knows no resource; it can be allowed on * only.",
        ...repositoryWildcards,
      },
    },
    pushImages: {
      environment: {},
      statements: onRepositories("PushImages", [
        "ecr:CompleteLayerUpload",
        "ecr:CreateRepository",
        "ecr:InitiateLayerUpload",
        "ecr:PutImage",
        "ecr:UploadLayerPart",
      ]),
      wildcards: repositoryWildcards,
    },
    openStreams: {
      environment: {
        SLIPWAY_STREAM_SECONDS: String(streamSeconds),
        SLIPWAY_OPEN_STREAMS: String(Math.max(1, Math.floor(accountConcurrency(stack) / 2))),
      },
      statements: [],
    },
    bootstrapSecret: {
      environment: { SLIPWAY_BOOTSTRAP_SECRET_ARN: bootstrapSecret.secretArn },
      statements: [allow("BootstrapSecret", bootstrapSecret.secretArn, ["secretsmanager:GetSecretValue"])],
    },
    askIdentityProvider: {
      environment: Object.fromEntries(Object.entries(settings).filter(([name]) => ofIdentityProvider(name))),
      statements:
        clientSecret === undefined
          ? []
          : [allow("ClientSecret", names.secretArn(stack, clientSecret), ["secretsmanager:GetSecretValue"])],
    },
  };
}

/** As findings name it: whether it is a resource of this stack, an export of another one, or just a name. */
function readableArn(stack: Stack, bucket: Stored["bucket"]): string {
  const made = bucket.node.defaultChild;
  if (made !== undefined) return `<${stack.getLogicalId(made as CfnElement)}.Arn>`;
  const name = stack.resolve(bucket.bucketName) as string | { "Fn::ImportValue": string };
  return `arn:<AWS::Partition>:s3:::${typeof name === "string" ? name : name["Fn::ImportValue"]}`;
}

/** As many functions as the account runs at once: what AWS gives a new one, unless the context says otherwise. */
function accountConcurrency(stack: Stack): number {
  const given = Number(stack.node.tryGetContext("accountConcurrency") ?? 10);
  if (!Number.isInteger(given) || given < 1)
    throw new Error(
      "context accountConcurrency must be a whole number of 1 or more: the account's concurrent executions",
    );
  return given;
}

/** What can be done with the executions of one state machine. */
function rightsOverMachine<Name extends MachineName>(stack: Stack, machine: Name) {
  const { runs, setting } = machines[machine];
  const environment = { [setting]: names.stateMachineArn(stack, machine) };
  const executions = names.executionArn(stack, machine, "*");
  const wildcards = {
    [`AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:states:<AWS::Region>:<AWS::AccountId>:execution:${names.stateMachineName(stack, machine)}:*]`]:
      "Executions are named after records, which are made while Slipway runs; the machine is named.",
  };
  const start = names.stateMachineArn(stack, machine);
  const grants: Record<string, Grant> = {
    [`start${runs}`]: { environment, statements: [allow(`Start${runs}`, start, ["states:StartExecution"])] },
    [`follow${runs}`]: {
      ...{ environment, wildcards },
      statements: [allow(`Follow${runs}`, executions, ["states:DescribeExecution"])],
    },
    [`list${runs}`]: { environment, statements: [allow(`List${runs}`, start, ["states:ListExecutions"])] },
    [`stop${runs}`]: {
      ...{ environment, wildcards },
      statements: [allow(`Stop${runs}`, executions, ["states:StopExecution"])],
    },
  };
  return grants as Record<MachineRight<Name>, Grant>;
}

export function allow(
  sid: string,
  resources: string | readonly string[],
  actions: readonly string[],
  conditions: Readonly<Record<string, Readonly<Record<string, string | readonly string[]>>>> = {},
): PolicyStatement {
  return new PolicyStatement({ sid, actions: [...actions], resources: [resources].flat(), conditions });
}
