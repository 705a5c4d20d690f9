import * as z from "zod";
import { withAliases } from "../base/common/withAliases.ts";
import { filled } from "./schemas.ts";

const text = (most = 65_536) => z.string("must be a text").max(most, `must have at most ${most} characters`);

const pullRequests = z.array(z.int().min(0)).max(100).nullish();

const repoInput = withAliases(
  z.looseObject({
    codehost_name: filled("codehost_name", 64),
    repo_namespace: filled("repo_namespace"),
    repo_name: filled("repo_name"),
    branch: text(1024).nullish(),
    prs: pullRequests,
  }),
  { repo_namespace: ["repo_owner"] },
);

/** One workflow parameter of a start (contract W 2.4). */
export const paramInput = z
  .object({
    name: filled("name"),
    /** Not read: the definition's decides (contract W 2.4). */
    type: z.string().nullish(),
    value: z.union([text(), z.number(), z.boolean()], "must be a text").nullish(),
    repo: repoInput.nullish(),
  })
  .transform(({ name, value, repo }) => ({
    name,
    value: value === null || value === undefined ? "" : String(value),
    ...(repo && {
      repo: {
        codehostName: repo.codehost_name,
        namespace: repo.repo_namespace,
        name: repo.repo_name,
        branch: repo.branch ?? "",
        prs: repo.prs ?? [],
      },
    }),
  }));

/** One job of a start, with its parameters. */
export const jobInput = z
  .object({
    job_name: filled("job_name"),
    job_type: z.string().nullish(),
    parameters: z.looseObject({}, "must be an object").nullish(),
  })
  .transform(({ job_name, parameters }) => ({ jobName: job_name, parameters: { ...parameters } }));
