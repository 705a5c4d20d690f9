import type * as z from "zod";
import { newId, nowSeconds } from "../../../shared/base/store/ids.ts";
import type { Activity, Artifact, ArtifactCommit } from "../../../shared/packaging/artifacts/rules/artifact.ts";
import type { newActivity } from "./schemas.ts";

/** An artifact as clients know it; what is empty is left out where the contract says so (contract D 3.2). */
export function toArtifact(artifact: Artifact) {
  const { artifactId, imageDigest, imageSize, architecture, os } = artifact;
  const { packageFileLocation, packageStorageUri } = artifact;
  const activities = artifact.activities.map((activity) => toActivity(artifactId, activity));
  return {
    ...{ id: artifactId, name: artifact.name, type: artifact.type, source: artifact.source },
    ...{ image: artifact.image, image_tag: artifact.imageTag },
    ...filled({ image_digest: imageDigest, architecture, os }),
    ...(imageSize > 0 && { image_size: imageSize }),
    ...filled({ package_file_location: packageFileLocation, package_storage_uri: packageStorageUri }),
    ...{ created_by: artifact.createdBy, created_time: artifact.createdTime, activities },
    sortedActivities: Object.fromEntries(
      Object.entries(Object.groupBy(activities, ({ type }) => type)).map(([type, of = []]) => [type, of]),
    ),
  };
}

function toActivity(artifactId: string, activity: Activity) {
  const { content, jobTaskName, issues, namespace, envName, publishHosts, publishNamespaces } = activity;
  const { remoteFileKey, distStorageUrl, srcStorageUrl } = activity;
  return {
    ...{ artifact_id: artifactId, type: activity.type, url: activity.url, commits: activity.commits.map(toCommit) },
    ...filled({ content, job_task_name: jobTaskName, issues, namespace, env_name: envName }),
    ...filled({ publish_hosts: publishHosts, publish_namespaces: publishNamespaces }),
    ...filled({ remote_file_key: remoteFileKey, dist_storage_url: distStorageUrl, src_storage_url: srcStorageUrl }),
    ...{ start_time: activity.startTime, end_time: activity.endTime },
    ...{ created_by: activity.createdBy, created_time: activity.createdTime },
  };
}

export function toCommit(commit: ArtifactCommit) {
  return {
    ...{ address: commit.address, source: commit.source, repo_owner: commit.repoOwner, repo_name: commit.repoName },
    ...{ branch: commit.branch, pr: commit.pr, ...filled({ prs: commit.prs, tag: commit.tag }) },
    ...{ commit_id: commit.commitId, commit_message: commit.commitMessage, author_name: commit.authorName },
  };
}

/** An activity that a client reports; its time is ours. */
export function activityFrom(sent: z.output<typeof newActivity>, createdBy: string): Activity {
  return {
    activityId: newId(),
    ...{ type: sent.type, url: sent.url, content: sent.content, commits: sent.commits.map(commitFrom) },
    ...{ jobTaskName: sent.job_task_name, issues: sent.issues, namespace: sent.namespace, envName: sent.env_name },
    ...{ publishHosts: sent.publish_hosts, publishNamespaces: sent.publish_namespaces },
    ...{ remoteFileKey: sent.remote_file_key, distStorageUrl: sent.dist_storage_url },
    ...{ srcStorageUrl: sent.src_storage_url, startTime: sent.start_time, endTime: sent.end_time },
    ...{ createdBy, createdTime: nowSeconds() },
  };
}

function commitFrom(sent: z.output<typeof newActivity>["commits"][number]): ArtifactCommit {
  return {
    ...{ address: sent.address, source: sent.source, repoOwner: sent.repo_owner, repoName: sent.repo_name },
    ...{ branch: sent.branch, tag: sent.tag, pr: sent.pr, prs: sent.prs, commitId: sent.commit_id },
    ...{ commitMessage: sent.commit_message, authorName: sent.author_name },
  };
}

function filled<T extends Record<string, string | readonly unknown[]>>(fields: T): Partial<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value.length > 0)) as Partial<T>;
}
