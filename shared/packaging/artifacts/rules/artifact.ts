/** Where the source of a build or a test was, as it was checked out (contract D 3.2). */
export interface ArtifactCommit {
  /** Of the code host; empty when it is no longer known. */
  address: string;
  /** Type of the code host. */
  source: string;
  repoOwner: string;
  repoName: string;
  branch: string;
  tag: string;
  /** The one pull request; 0 for none or several. */
  pr: number;
  prs: number[];
  commitId: string;
  commitMessage: string;
  authorName: string;
}

/** What happened to an artifact (contract D 3.2, 3.4). Times are Unix seconds. */
export interface Activity {
  /** 24 hex characters, the same whenever the same thing is noted again. */
  activityId: string;
  /** `build`, `test`, `deploy`, `publish`. */
  type: string;
  url: string;
  content: string;
  commits: ArtifactCommit[];
  /** Which job of the task; empty where none did it. */
  jobTaskName: string;
  issues: string[];
  namespace: string;
  envName: string;
  publishHosts: string[];
  publishNamespaces: string[];
  remoteFileKey: string;
  distStorageUrl: string;
  srcStorageUrl: string;
  startTime: number;
  endTime: number;
  createdBy: string;
  createdTime: number;
  /** The task that it happened in; absent where a caller reported it. */
  task?: { projectKey: string; workflowKey: string; taskId: number };
  /** The release plan that the task ran for. */
  releasePlan?: { planId: string; name: string; index: number };
}

/** What a registry says of an image. */
export interface ImageFacts {
  imageDigest: string;
  /** Bytes of config and layers of all platforms, each once. */
  imageSize: number;
  /** `amd64`, or several after commas; empty where it is no image of a system. */
  architecture: string;
  os: string;
}

/** An image that a build made, or a file that a job kept (contract D 3.2). */
export interface Artifact extends ImageFacts {
  artifactId: string;
  type: "image" | "file";
  name: string;
  /** `workflow_v4`: made by a task. */
  source: string;
  /** The full reference, or the name of the file. */
  image: string;
  imageTag: string;
  packageFileLocation: string;
  packageStorageUri: string;
  projectKey: string;
  createdBy: string;
  createdTime: number;
  /** Newest first. */
  activities: Activity[];
}

/** Activities that an artifact keeps; of more the oldest go, what built it last of all. */
const maxActivities = 100;

/** With one more activity, unless it has it. */
export function withActivity(activities: readonly Activity[], activity: Activity): readonly Activity[] {
  if (activities.some(({ activityId }) => activityId === activity.activityId)) return activities;
  const all = [activity, ...activities].sort((a, b) => b.createdTime - a.createdTime);
  if (all.length <= maxActivities) return all;
  const oldest = all.findLast(({ type }) => type !== "build") ?? all.at(-1);
  return all.filter((one) => one !== oldest);
}
