import * as z from "zod";
import { hookAddress, secretLine } from "../../../../shared/http/fields.ts";
import { filled } from "../../../../shared/http/schemas.ts";
import { callbackAddress } from "../../../../shared/integrations/notify/rules/legacyCallback.ts";
import { shortestCommit } from "../../../../shared/workflows/records/commits.ts";
import { legacyStatuses } from "../../../../shared/workflows/records/rules/legacyStatus.ts";

const many = 200;
const atMost = `must have at most ${many} entries`;

export const commitQuery = z.object({
  commitId: filled("commitId", 64)
    .regex(/^[0-9a-fA-F]+$/, "must be the id of a commit, or its beginning: hexadecimal digits")
    .refine((id) => id.length >= shortestCommit, `must have at least ${shortestCommit} characters of the commit's id`),
});

export const ofLegacyTask = z.object({
  id: z
    .string()
    .regex(/^\d{1,12}$/, "must be the number of a task, a whole number")
    .transform(Number),
  pipelineName: z.string(),
});

const status = z.enum(legacyStatuses);
const unixSeconds = z.int();

export const foundTasks = z.array(
  z
    .object({
      ...{ task_id: z.int(), status, create_time: unixSeconds, start_time: unixSeconds, end_time: unixSeconds },
      url: z.string(),
    })
    .meta({ id: "LegacyFoundTask" }),
);

const legacyTarget = z.object({
  name: filled("name", 256),
  service_type: z
    .enum(["", "k8s", "helm"], "must be k8s or helm")
    .nullish()
    .transform((type) => type || "k8s"),
  build: z.object(
    {
      repos: z
        .array(
          z.object({
            repo_name: filled("repo_name", 512),
            branch: filled("branch", 1024),
            pr: z.int("must be a whole number").min(0, "must be 0 or more").nullish(),
          }),
          "must be a list of repositories",
        )
        .max(many, atMost),
    },
    "must be an object with repos",
  ),
});

const legacyImage = z.object({
  image: filled("image", 1024),
  service_name: filled("service_name", 256),
  service_module: filled("service_module", 256),
});

/** Percent-encoded; the decoded address is checked like every address. */
const callbackUrl = filled("callback_url", 4096).superRefine((text, context) => {
  const { error } = hookAddress("callback_url").safeParse(callbackAddress(text));
  for (const { message } of error?.issues ?? []) context.addIssue({ code: "custom", message });
});

export const legacyStart = z
  .object({
    workflow_name: filled("workflow_name", 64),
    env_name: filled("env_name", 64),
    targets: z.array(legacyTarget, "must be a list").max(many, atMost).nullish(),
    release_images: z.array(legacyImage, "must be a list").max(many, atMost).nullish(),
    callback: z
      .object({
        callback_url: callbackUrl,
        callback_vars: z.record(z.string(), z.unknown(), "must be an object").nullish(),
        /** Beyond the older API: key of the signature. */
        callback_secret: secretLine().nullish(),
      })
      .nullish(),
  })
  .superRefine(({ targets, release_images }, context) => {
    if (!targets?.length && !release_images?.length)
      context.addIssue({
        code: "custom",
        path: ["targets"],
        message: "target and release_images cannot be empty at the same time",
      });
  });
export type LegacyStart = z.output<typeof legacyStart>;

export const legacyDone = z
  .object({ message: z.literal("success"), resultCode: z.literal(0), errorMsg: z.literal("success") })
  .meta({ id: "LegacyMessage" });

const repo = z.object({ repo_name: z.string(), branch: z.string(), pr: z.int() });

export const legacyTask = z
  .object({
    workflow_name: z.string(),
    env_name: z.string(),
    status,
    targets: z.array(
      z.object({ name: z.string(), service_type: z.string(), build: z.object({ repos: z.array(repo) }) }),
    ),
    images: z.array(z.object({ image: z.string(), service_name: z.string(), registry_repo: z.string() })),
    test_reports: z.array(
      z.object({
        test_name: z.string(),
        function_test_report: z.object({
          ...{ tests: z.int(), successes: z.int(), failures: z.int(), skips: z.int(), errors: z.int() },
          detail_url: z.string(),
        }),
      }),
    ),
  })
  .meta({ id: "LegacyTask" });
