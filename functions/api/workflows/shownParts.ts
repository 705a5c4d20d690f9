import * as z from "zod";
import {
  approvalUser,
  manualExec,
  nativeApproval,
  stageApproval,
} from "../../../shared/workflows/definition/people.ts";
import { errorPolicy } from "../../../shared/workflows/definition/policies.ts";

/*
 * What definitions and tasks show alike. Lists of people are as they were sent: they may be missing, or null.
 */
const people = z.array(approvalUser).nullish();

export const jobSpec = z.looseObject({}).meta({ description: "What the job does, by its type" });

export const shownApproval = stageApproval
  .extend({ native_approval: nativeApproval.extend({ approve_users: people }).nullish() })
  .meta({ id: "ShownStageApproval" });

export const shownManualExec = manualExec.extend({ manual_exec_users: people }).meta({ id: "ShownManualExec" });

export const shownErrorPolicy = errorPolicy.extend({ approval_users: people }).meta({ id: "ShownErrorPolicy" });
