import * as z from "zod";
import { filled, pageInteger, unixSeconds } from "../../../shared/http/schemas.ts";

const text = z.string().max(1024, "must have at most 1024 characters").default("");
const texts = z.array(text).max(100, "must have at most 100 entries").default([]);

const commit = z
  .object({
    address: z.string(),
    source: z.string(),
    repo_owner: z.string(),
    repo_name: z.string(),
    branch: z.string(),
    pr: z.int(),
    prs: z.array(z.int()).optional(),
    tag: z.string().optional(),
    commit_id: z.string(),
    commit_message: z.string(),
    author_name: z.string(),
  })
  .meta({ id: "ArtifactCommit" });

const activity = z
  .object({
    artifact_id: z.string(),
    type: z.string(),
    url: z.string(),
    content: z.string().optional(),
    commits: z.array(commit),
    job_task_name: z.string().optional(),
    issues: z.array(z.string()).optional(),
    namespace: z.string().optional(),
    env_name: z.string().optional(),
    publish_hosts: z.array(z.string()).optional(),
    publish_namespaces: z.array(z.string()).optional(),
    remote_file_key: z.string().optional(),
    dist_storage_url: z.string().optional(),
    src_storage_url: z.string().optional(),
    start_time: unixSeconds,
    end_time: unixSeconds,
    created_by: z.string(),
    created_time: unixSeconds,
  })
  .meta({ id: "ArtifactActivity" });

/** Contract D 3.2. */
export const artifact = z
  .object({
    id: z.string(),
    name: z.string(),
    type: z.enum(["image", "file"]),
    source: z.string(),
    image: z.string(),
    image_tag: z.string(),
    image_digest: z.string().optional(),
    image_size: z.int().optional().meta({ description: "Bytes of config and layers of all platforms" }),
    architecture: z.string().optional(),
    os: z.string().optional(),
    package_file_location: z.string().optional(),
    package_storage_uri: z.string().optional(),
    created_by: z.string(),
    created_time: unixSeconds,
    activities: z.array(activity),
    sortedActivities: z.record(z.string(), z.array(activity)),
  })
  .meta({ id: "Artifact" });

export const imageQuery = z.object({ image: filled("image") });

export const search = z.object({
  type: text,
  name: text,
  image: text,
  imageTag: text,
  repoName: text,
  branch: text,
  commit: text.refine((value) => value === "" || value.length >= 7, "must have at least 7 characters"),
  source: text,
  page: pageInteger(1),
  per_page: pageInteger(20, 200),
});

const types = ["build", "test", "deploy", "publish"] as const;
const sentCommit = z.object({
  address: text,
  source: text,
  repo_owner: text,
  repo_name: text,
  branch: text,
  pr: z.int().nonnegative().default(0),
  prs: z.array(z.int().nonnegative()).max(100, "must have at most 100 entries").default([]),
  tag: text,
  commit_id: text,
  commit_message: z.string().max(4096, "must have at most 4096 characters").default(""),
  author_name: text,
});
const time = z.int("must be Unix seconds").nonnegative("must be Unix seconds").default(0);

export const newActivity = z.object({
  type: z.enum(types, `must be one of ${types.join(", ")}`),
  url: text,
  content: z.string().max(4096, "must have at most 4096 characters").default(""),
  commits: z.array(sentCommit).max(50, "must have at most 50 entries").default([]),
  job_task_name: text,
  issues: texts,
  namespace: text,
  env_name: text,
  publish_hosts: texts,
  publish_namespaces: texts,
  remote_file_key: text,
  dist_storage_url: text,
  src_storage_url: text,
  start_time: time,
  end_time: time,
});

const ofTask = {
  project_key: z.string(),
  workflow_key: z.string(),
  task_id: z.int(),
  job_task_name: z.string(),
  url: z.string(),
  created_by: z.string(),
  start_time: unixSeconds,
  end_time: unixSeconds,
};

/** Contract D 3.3. */
export const trace = z
  .object({
    image: z.string(),
    image_digest: z.string().meta({ description: "Empty when no registry said it" }),
    artifact_ids: z.array(z.string()).meta({ description: "Of every build of the image, newest first" }),
    builds: z.array(z.object({ ...ofTask, commits: z.array(commit) })),
    tests: z.array(z.object({ ...ofTask, content: z.string() })),
    deploys: z.array(z.object({ ...ofTask, env_name: z.string() })),
    versions: z.array(z.object({ id: z.string(), version: z.string(), project_key: z.string() })),
    release_plans: z.array(z.object({ id: z.string(), name: z.string(), index: z.int(), status: z.string() })),
    environments: z.array(
      z.object({
        project_key: z.string(),
        env_key: z.string(),
        production: z.boolean(),
        service_name: z.string(),
        containers: z.array(z.string()),
        image: z.string(),
        update_time: unixSeconds,
      }),
    ),
  })
  .meta({ id: "ImageTrace" });
