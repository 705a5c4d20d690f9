import * as z from "zod";
import { condition } from "../../../definition/condition.ts";
import type { Analysis } from "./analyses.ts";

const look = z.object({ time: z.int(), value: z.number().nullable(), passed: z.boolean(), reason: z.string() });

const looked = z.object({
  name: z.string(),
  provider: z.string(),
  status: z.enum(["running", "passed", "failed"]),
  start_time: z.int(),
  looks: z.array(look),
});

/** One look: when, in Unix seconds, what was seen, null where nothing was, and what that came to. */
export type Look = z.output<typeof look>;
/** What an analysis has come to, as the detail of the task shows it. */
export type Looked = z.output<typeof looked>;

export function notLooked({ name, provider }: Analysis, now: number): Looked {
  return { name, provider, status: "running", start_time: now, looks: [] };
}

/** What is kept in the result of a job; undefined where its analysis has not started. */
export function lookedIn(result: Readonly<Record<string, unknown>>): Looked[] | undefined {
  return z.array(looked).safeParse(result.analysis).data;
}

/** When the next look is due, in Unix seconds. */
export function dueAt({ interval }: Analysis, { start_time, looks }: Looked): number {
  return (looks.at(-1)?.time ?? start_time) + interval;
}

/** What a value comes to. @param given the value, or why there is none */
export function judged({ success, failure }: Analysis, given: number | string, time: number): Look {
  if (typeof given === "string") return { time, value: null, passed: false, reason: given };
  const value = given;
  const reason = unmet(success || (failure === "" ? "== 0" : ""), failure, value);
  return { time, value, passed: reason === "", reason };
}

/** Without either condition there must be nothing: neither restarts nor pods that are not ready. */
function unmet(success: string, failure: string, value: number): string {
  if (success !== "" && condition(success)?.(value) !== true) return `${value} is not ${success}`;
  return failure !== "" && condition(failure)?.(value) === true ? `${value} is ${failure}` : "";
}

/** The analysis with one look more: it fails as soon as too many have, and passes after the last. */
export function withLook({ count, failureLimit }: Analysis, before: Looked, one: Look): Looked {
  const looks = [...before.looks, one];
  const failures = looks.filter(({ passed }) => !passed).length;
  if (failures > failureLimit) return { ...before, looks, status: "failed" };
  return { ...before, looks, status: looks.length >= count ? "passed" : "running" };
}
