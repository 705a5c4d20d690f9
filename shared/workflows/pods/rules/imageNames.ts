/** What of the primary repository goes into a default tag (contract W 11.5). */
export interface TagRepository {
  tag: string;
  branch: string;
  pullRequests: readonly number[];
  commitId: string;
}

export interface ImageParts {
  /** As the registry's record has it, with its scheme. */
  registryAddress: string;
  registryNamespace: string;
  /** `image_name`, or the service module. */
  imageName: string;
  tag: string;
}

/** `<registry without scheme>[/<namespace>]/<image name>:<tag>`. */
export function imageReference({ registryAddress, registryNamespace, imageName, tag }: ImageParts): string {
  const host = registryAddress
    .trim()
    .replace(/^https?:\/\//, "")
    .replace(/\/+$/, "");
  return `${[host, registryNamespace, imageName].filter((part) => part !== "").join("/")}:${tag}`;
}

/** The tag when there is no rule. @param now Unix seconds, shown in UTC */
export function defaultTag(repository: TagRepository | undefined, task: { taskId: number; now: number }): string {
  const time = timestamp(task.now);
  if (repository === undefined) return time;
  const { tag, branch, pullRequests } = repository;
  const pulls = pullRequests.length > 0 ? [`pr-${pullRequests.join("-")}`] : [];
  if (tag !== "") return allowed([time, tag].join("-"));
  if (branch === "" && pulls.length === 0) return time;
  return allowed([time, task.taskId, ...(branch === "" ? [] : [branch]), ...pulls].join("-"));
}

/** The variables of a project's own rule. */
export interface TagRule {
  rule: string;
  service: string;
  imageName: string;
  project: string;
  envName: string;
  repository: TagRepository | undefined;
}

/** `<image name>:<tag>`, or the tag alone, by a project's rule: `${NAME}` is replaced by a value (contract W 11.5). */
export function ruleTag(given: TagRule, task: { taskId: number; now: number }): string {
  const { repository } = given;
  const values: Record<string, string> = {
    SERVICE: given.service,
    IMAGE_NAME: given.imageName,
    TIMESTAMP: timestamp(task.now),
    TASK_ID: String(task.taskId),
    PROJECT: given.project,
    ENV_NAME: given.envName,
    REPO_COMMIT_ID: (repository?.commitId ?? "").slice(0, 8),
    REPO_TAG: repository?.tag ?? "",
    REPO_BRANCH: repository?.branch ?? "",
    REPO_PR: (repository?.pullRequests ?? []).join("-"),
  };
  const text = given.rule.replace(/\$\{([A-Z_]+)\}/g, (whole, name: string) =>
    Object.hasOwn(values, name) ? (values[name] ?? "") : whole,
  );
  const [name = "", tag] = text.split(/:(.*)/s);
  return tag === undefined ? allowed(name) : `${name}:${allowed(tag)}`;
}

/** Name of the package of an image: its file part with `:` to `-` (contract W 11.5). */
export function packageFile(image: string): string {
  return `${image.slice(image.lastIndexOf("/") + 1).replaceAll(":", "-")}.tar.gz`;
}

/** `<YYYYMMDDhhmmss>`. */
function timestamp(now: number): string {
  return new Date(now * 1000).toISOString().replace(/\D/g, "").slice(0, 14);
}

/** What a tag may hold: at most 128 of `A-Z a-z 0-9 _ . -`, the first no `.` or `-`. */
function allowed(tag: string): string {
  return tag
    .replace(/[^A-Za-z0-9_.-]/g, "-")
    .replace(/^[.-]+/, "")
    .slice(0, 128);
}
