import * as z from "zod";
import { flag, listOf, text, texts, whole } from "../wireFields.ts";

/** Where the selection of a job comes from (contract W 5). */
export const source = z.enum(["", "runtime", "fixed", "fromjob"], "must be runtime, fixed or fromjob").nullish();

/** Fields of every job whose selection may come from an earlier job. */
export const selection = { source, job_name: text, origin_job_name: text };

/** A repository in its full form (contract W 1.5). */
export const repositories = listOf(
  z.looseObject({
    codehost_id: whole,
    repo_owner: text,
    repo_namespace: text,
    repo_name: text,
    branch: text,
    tag: text,
    pr: whole,
    prs: z.array(z.int("must be the number of a pull request"), "must be a list").nullish(),
    checkout_path: text,
    source_from: z.enum(["", "runtime", "fixed", "param", "job"], "must be runtime, fixed, param or job").nullish(),
    param_name: text,
  }),
);

/** Variables (contract W 1.5). */
export const variables = listOf(
  z.looseObject({
    key: z.string("must be a text").min(1, "key cannot be empty"),
    value: z.union([z.string(), z.number(), z.boolean()], "must be a text").nullish(),
    type: text,
    choice_option: texts,
    choice_value: texts,
    is_credential: flag,
    source: z.enum(["", "runtime", "fixed", "reference"], "must be runtime, fixed or reference").nullish(),
  }),
);

const outputs = listOf(
  z.looseObject({
    name: z.string("must be a text").regex(/^[a-zA-Z0-9_]{1,64}$/, "must have 1 to 64 letters, digits and underscores"),
  }),
);

/** Where and how a job runs; `timeout` in minutes. */
export const advancedSettings = z
  .looseObject(
    {
      timeout: whole,
      cluster_id: text,
      strategy_id: text,
      res_req: text,
      custom_annotations: listOf(z.looseObject({ key: text, value: text })),
      custom_labels: listOf(z.looseObject({ key: text, value: text })),
      outputs,
    },
    "must be an object",
  )
  .nullish();

/** The older form of the same. */
export const properties = z
  .looseObject(
    { timeout: whole, cluster_id: text, build_os: text, image_id: text, envs: variables },
    "must be an object",
  )
  .nullish();

/** A service module that something is done for. */
export const serviceModule = {
  service_name: z.string("must be a text").min(1, "service_name cannot be empty"),
  service_module: text,
};

/** Minutes; 0 or absent: the platform's default. */
export const minutes = z.number("must be a number of minutes").min(0, "must be at least 0 minutes").nullish();
