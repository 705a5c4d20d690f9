import { actionsOf, functionsOfStack, resourcesIn, type Statement, statementsOf } from "../infra/aws/roles.ts";
import type { AwsCall } from "./awsStack.ts";

/** What a function may do and did not, by the statement's name in its policy. */
export interface UnusedGrant {
  name: string;
  grant: string;
}

/** Lambda itself writes logs and traces, and keeps failed events, with the function's role. */
const byLambda = /^(logs|xray|sqs):/;

/** Statements that allow what none of the calls was, of the functions that ran. */
export function grantsLeftUnused(calls: readonly AwsCall[], ran: ReadonlySet<string>): UnusedGrant[] {
  return functionsOfStack()
    .filter(({ name }) => ran.has(name))
    .flatMap(({ name, roleId }) => {
      const own = calls.filter(({ caller, allowed }) => caller === roleId && allowed === true);
      return statementsOf(roleId)
        .filter((statement) => statement.Effect === "Allow" && !actionsOf(statement).some((one) => byLambda.test(one)))
        .filter((statement) => !own.some((call) => allows(statement, call)))
        .map(({ Sid = "", Action }) => ({ name, grant: Sid || [Action].flat().join(", ") }));
    });
}

function allows(statement: Statement, { action, resource = "" }: AwsCall): boolean {
  return actionsOf(statement).includes(action) && resourcesIn(statement).some((one) => patternOf(one).test(resource));
}

/** What the template leaves open, in angle brackets, is any text. */
function patternOf(resource: string): RegExp {
  const parts = resource.split(/<[^>]*>|\*/).map((part) => part.replaceAll(/[.+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${parts.join(".*")}$`);
}

interface Reason {
  why: string;
  functions: readonly string[];
}

const changing = [
  ...["identity", "sso", "policy", "collaborations", "clusters", "registries", "projects", "environments", "delivery"],
  "artifacts",
];
const defining = ["services", "templates", "labels", "integrations", "builds", "workflows", "quality", "releaseplans"];
const groups = [...changing, ...defining, "operations", "logs", "events", "statistics"];
const ofPlans = ["release-plan", "plan-follower"];
/** They look at clusters: for a preview, and for a rollback. */
const ofPlanning = ["releaseplans", "plan-follower"];
const workers = ["environment-change", "workflow-task", "job", "cluster-watcher", "reconciler", ...ofPlans];
const smallWorkers = [
  "registry-refresh",
  "sleep-schedule",
  "approval-follower",
  "trigger-starter",
  "notifier",
  "delivery-version",
  "helm",
  "change-socket",
];
const planning = ["collaborations", "projects", "environments", "environment-change", "delivery"];
const starting = ["projects", "workflows", "quality", "releaseplans", "plan-follower", "trigger-starter"];
const running = [...starting, "workflow-task", "job", "reconciler"];

/** Grants that this suite may leave unused, by the statement's name: each was looked at and is there for a reason. */
const reasons: Readonly<Record<string, Reason>> = {
  Items: {
    why: "A request that is refused for its form asks the table nothing.",
    functions: ["collaborations", "sso"],
  },
  Indexes: {
    why: "One right covers the table; lists, references and due work are read by index where a call needs them.",
    functions: [...groups, "meta", ...workers, ...smallWorkers],
  },
  WakeReconciler: {
    why: "A change whose record in the operation log is lost leaves it to the reconciler.",
    functions: [...changing, ...defining, ...workers, "sleep-schedule", "trigger-starter"],
  },
  KeepScheduleRole: {
    why: "The role is handed over when the schedule is switched, and here it is on already.",
    functions: [...changing, ...defining, ...workers, "sleep-schedule", "trigger-starter"],
  },
  ReadTexts: {
    why: "Texts lie in the bucket when they are too large for the table; these are small.",
    functions: [
      ...[...planning, ...running, "services", "templates", "builds", "logs", "notifier", "delivery-version"],
      ...["statistics", "statistics-recount"],
    ],
  },
  WriteTexts: {
    why: "Texts go to the bucket when they are too large for the table; these are small.",
    functions: [...planning, ...running, "services", "templates", "builds", "helm", "delivery-version"],
  },
  Seal: {
    why: "Manifests with secrets, arguments with credentials, hooks and logins are sealed; not every change has some.",
    functions: [...planning, ...running, "builds", "clusters", "templates"],
  },
  Unseal: {
    why: "What was sealed is read where it is used; who kept it a moment ago has it in memory.",
    functions: [
      ...[...planning, ...running, "clusters", "logs", "cluster-watcher", "notifier", "delivery-version", "helm"],
      ...["templates", "services", "events"],
    ],
  },
  EnterClusters: {
    why: "Roles of other accounts lead to EKS clusters and to ECR; here are a kubeconfig and registries with keys.",
    functions: [
      ...[...planning, "clusters", "logs", "job", "cluster-watcher", "reconciler", "registry-refresh", ...ofPlanning],
      ...["helm", "registries", "delivery-version", "events"],
    ],
  },
  RegistryToken: {
    why: "Asked for at registries of AWS alone; this one is another.",
    functions: [
      ...planning,
      "job",
      "registry-refresh",
      "plan-follower",
      "reconciler",
      "delivery-version",
      "registries",
      "templates",
      "services",
      "releaseplans",
    ],
  },
  PullImages: {
    why: "Not called by a function: clusters and pods pull with the token that it asked for.",
    functions: [
      ...["collaborations", "projects", "environments", "job", "registry-refresh", "plan-follower", "reconciler"],
      ...["delivery", "delivery-version", "registries", "templates", "services", "releaseplans"],
    ],
  },
  AskHelm: {
    why: "Asked where a project has charts; what is done here with charts asks from elsewhere. Who goes on with a sync of templates asks after a crash.",
    functions: [...planning, "job", "delivery-version", "reconciler", "releaseplans"],
  },
  PushImages: {
    why: "Not called by a function: pods, and copies of images, push with the token that it asked for.",
    functions: ["job", "delivery-version"],
  },
  StartStatisticsRecount: {
    why: "It calls itself for what one call has no time for.",
    functions: ["statistics-recount"],
  },
  StartChange: {
    why: "A deletion begins the next one, a rollback of a plan its own; the reconciler begins what was left behind.",
    functions: ["collaborations", "projects", "environment-change", "reconciler", "plan-follower"],
  },
  FollowChange: { why: "Looked at when the time of a change is over.", functions: ["reconciler"] },
  StartVersion: { why: "Started by the reconciler where whoever created it was killed.", functions: ["reconciler"] },
  FollowVersion: { why: "Looked at when the time of a version is over.", functions: ["reconciler"] },
  StopChange: {
    why: "Used where a deletion or a newer change takes a running one over.",
    functions: [...planning, "reconciler", "sleep-schedule", "plan-follower"],
  },
  StartTask: {
    why: "The next waiting task is started by whoever frees a slot or raises a limit; nothing waits here.",
    functions: ["identity", ...running],
  },
  FollowTask: { why: "Looked at when the time of a task is over.", functions: ["reconciler"] },
  StartJob: { why: "Started again where the execution of a job ended by itself.", functions: ["reconciler"] },
  ListJobObjects: {
    why: "Asked for what a project does not keep; here all keep everything.",
    functions: ["reconciler"],
  },
  RemoveTaskObjects: {
    why: "Used for what a project does not keep; here all keep everything.",
    functions: ["reconciler"],
  },
  ListTask: { why: "Asked while a task is open when the reconciler comes.", functions: ["reconciler"] },
  ListJob: { why: "Asked for jobs that have run for a minute when the reconciler comes.", functions: ["reconciler"] },
  ListChange: { why: "Asked while a change is open when the reconciler comes.", functions: ["reconciler"] },
  FollowJob: {
    why: "Looked at when a job was begun before and has not ended.",
    functions: ["workflow-task", "reconciler"],
  },
  SettleTask: {
    why: "Ends what waits for an answer: a cancelled task, a decision, a cluster. Here each comes from one of them.",
    functions: [
      ...[...running, "release-plan", "environments", "environment-change", "cluster-watcher", "approval-follower"],
    ],
  },
  SwitchSweep: {
    why: "Switched for the first copy that goes when its member stays away, and after the last; here is none.",
    functions: ["reconciler"],
  },
  StartPlanFollower: {
    why: "Started by whoever changes a release plan, ends a task of one, or takes a service of one back.",
    functions: [...running, "release-plan", "environment-change"],
  },
  StartApprovalFollower: {
    why: "Started by whoever begins the approval of a job or a stage at a chat service, hears of it, or ends what waited.",
    functions: running,
  },
  StartTeller: {
    why: "Who changes something wakes it while somebody listens, and it starts its own successor; not all of them do so here.",
    functions: [...planning, ...running, "identity", "release-plan", "notifier", "sleep-schedule", "change-socket"],
  },
  StartNotifier: { why: "Started by whoever changes the status somebody is told of.", functions: running },
  PublishEvents: {
    why: "Published by whoever changes the status; here the machines of tasks and the follower of plans do.",
    functions: [...running, "release-plan"],
  },
  StartWatcher: {
    why: "A watcher starts its successor after minutes, the reconciler one for what a dead watcher left.",
    functions: ["cluster-watcher", "environment-change", "job", "reconciler"],
  },
  StartRegistryRefresh: {
    why: "Called for namespaces that a new environment brings, and by the reconciler for what is overdue.",
    functions: ["environments", "reconciler", "registries"],
  },
  StartSleepSchedule: {
    why: "Called when an environment with a schedule goes, and for what is overdue.",
    functions: ["environment-change", "environments", "reconciler"],
  },
  StartTriggerStarter: {
    why: "Called for what sets a trigger going, when a cron is saved, by whoever ends a task that a workflow follows, and for what is overdue.",
    functions: running.filter((name) => name !== "job"),
  },
  KeepCronSchedules: { why: "Schedules are made and taken away as a whole.", functions: ["trigger-starter"] },
  KeepSleepSchedules: { why: "Schedules are made and taken away as a whole.", functions: ["sleep-schedule"] },
  KeepPlanSchedules: {
    why: "The follower sets a time anew only when it is called long before it, as after a step of the clock.",
    functions: ["plan-follower"],
  },
  SealForSignIn: {
    why: "Enrolling a second factor and an encrypted sign-in need a condition on the encryption context, which the stand-in for IAM never allows.",
    functions: ["identity"],
  },
  ReadJobObjects: { why: "Signed addresses let pods read caches and archives.", functions: ["job", "logs"] },
  WriteJobObjects: { why: "Signed addresses let pods write logs, caches and archives.", functions: ["job"] },
};

export function isExplained({ name, grant }: UnusedGrant): boolean {
  return reasons[grant]?.functions.includes(name) === true;
}

/** Functions of the stack that none of the invocations was of. */
export function idleFunctions(ran: ReadonlySet<string>): string[] {
  return functionsOfStack()
    .map(({ name }) => name)
    .filter((name) => !ran.has(name));
}
