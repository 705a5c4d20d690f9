import { ApiError } from "../../base/errors/apiError.ts";
import { reasonOf } from "../../environments/failures.ts";
import type { JobEnd } from "../records/task.ts";
import { failed } from "./runner.ts";

/** What a cluster or a rule refuses is the job's failure in words; what the platform fails at is tried again. */
export async function inWords<T>(work: () => Promise<T>): Promise<T | JobEnd> {
  try {
    return await work();
  } catch (error) {
    const reason = error instanceof ApiError ? error.description : reasonOf(error);
    if (reason === undefined) throw error;
    return failed(reason);
  }
}
