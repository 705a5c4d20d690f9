import type * as z from "zod";
import { findUser, findUserByAccount } from "../../../shared/access/identity/store/users.ts";
import { storeText } from "../../../shared/base/aws/objects/objectStore.ts";
import { badRequest } from "../../../shared/base/errors/apiError.ts";
import { nowSeconds } from "../../../shared/base/store/ids.ts";
import type { Caller } from "../../../shared/http/exchange.ts";
import type { Tree } from "../../../shared/manifest/tree.ts";
import type { PlanContent } from "../../../shared/releaseplans/rules/edit.ts";
import {
  defaultSettings,
  type Plan,
  type PlanNotify,
  type PlanSettings,
} from "../../../shared/releaseplans/rules/plan.ts";
import { timesProblem } from "../../../shared/releaseplans/rules/window.ts";
import { readApproval } from "./approvals/readApproval.ts";
import type { JobInput, newPlanInput, settingsInput } from "./planSchemas.ts";
import { readJobs } from "./readJobs.ts";
import { readNotifyCtls } from "./readNotifyCtls.ts";

type Metadata = Pick<
  z.output<typeof newPlanInput>,
  "name" | "description" | "start_time" | "end_time" | "schedule_execute_time" | "approval" | "settings"
>;
type Manager = Pick<Plan, "manager" | "managerId">;

interface Listed {
  jobs?: readonly JobInput[] | null | undefined;
  notify_ctls?: readonly Tree[] | null | undefined;
}

/** What a client writes of a plan, as it is kept. @throws ApiError 400, 403, 6542, 6545 */
export async function readContent(
  planId: string,
  body: Metadata & Listed & { jira_sprint_association?: unknown },
  manager: Manager,
  caller: Caller,
  notifyBefore: PlanNotify | null = null,
): Promise<PlanContent> {
  const times = readTimes(body);
  return {
    ...{ name: body.name, ...manager, description: await storeText(body.description), ...times },
    jiraSprintAssociation: body.jira_sprint_association ?? null,
    approval: await readApproval(body.approval),
    settings: readSettings(body.settings),
    notify: await readNotifyCtls(planId, body.notify_ctls, notifyBefore, "notify_ctls"),
    jobs: await readJobs(planId, body.jobs ?? [], caller),
  };
}

/** @throws ApiError 400 naming the time that does not fit the others */
export function readTimes(body: { start_time: number; end_time: number; schedule_execute_time: number }) {
  const times = {
    ...{ startTime: body.start_time, endTime: body.end_time, scheduleExecuteTime: body.schedule_execute_time },
  };
  const found = timesProblem(times, nowSeconds());
  if (found !== undefined) throw badRequest([{ in: "body", path: found.field, problem: found.problem }]);
  return times;
}

export function readSettings(input: z.output<typeof settingsInput> | null | undefined): PlanSettings {
  if (input === null || input === undefined) return defaultSettings;
  return {
    ...{ autoExecute: input.auto_execute, concurrency: input.concurrency },
    ...{ stopOnFailure: input.stop_on_failure, rollbackOnFailure: input.rollback_on_failure },
  };
}

/** The manager as clients of the OpenAPI name one: by account. @throws ApiError 400 */
export async function managerByAccount(body: { manager: string; manager_identity_type: string }): Promise<Manager> {
  const type = body.manager_identity_type || "system";
  const user = await findUserByAccount(type, body.manager);
  if (user !== undefined) return { manager: body.manager, managerId: user.uid };
  const problem = `User ${body.manager} not found: there is no such account of the identity type ${type}`;
  throw badRequest([{ in: "body", path: "manager", problem }]);
}

/** The manager as the console names one: by uid, with the display name. @throws ApiError 400 */
export async function managerById(manager_id: string, name: string): Promise<Manager> {
  const user = await findUser(manager_id);
  if (user?.name === name) return { manager: name, managerId: manager_id };
  const problem =
    user === undefined ? `no user has the id ${manager_id}` : `is user ${user.name}, whom manager does not name`;
  throw badRequest([{ in: "body", path: "manager_id", problem }]);
}
