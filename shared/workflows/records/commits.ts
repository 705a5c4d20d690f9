import { keys } from "../../base/store/keys/keys.ts";
import { table } from "../../base/store/table.ts";
import { overwrite } from "../../base/store/writes.ts";
import type { Task } from "./task.ts";

/** Shortest beginning of a commit id that is searched for (contract I 10.2). */
export const shortestCommit = 8;
/** How long a task is found by its commits, from its creation. */
export const searchedSeconds = 24 * 3600;

interface CommitOfTask {
  ownerId: string;
  taskId: number;
  createTime: number;
}

/** Notes which commits a task worked on, for as long as it is searched by them (decisions 12.12). May be repeated. */
export async function recordCommits({ owner, taskId, createTime }: Task, commits: readonly string[]): Promise<void> {
  const ids = [...new Set(commits.map((id) => id.toLowerCase()))].filter((id) => id.length >= shortestCommit);
  const note: CommitOfTask = { ownerId: owner.id, taskId, createTime };
  const ttl = createTime + 2 * searchedSeconds;
  await Promise.all(
    ids.map((id) => table().write(overwrite({ ...keys.commit(id, owner.id, taskId), type: "commit", ...note, ttl }))),
  );
}

/** Tasks created since then that worked on a commit whose id begins so, newest first; of one commit each once. */
export async function tasksOfCommit(prefix: string, since: number): Promise<CommitOfTask[]> {
  const start = prefix.toLowerCase();
  const { pk } = keys.commit(start, "", 0);
  const found = await table().query<CommitOfTask>({ pk, prefix: start, consistent: false });
  const recent = found.filter(({ createTime }) => createTime >= since);
  const distinct = new Map(recent.map((one) => [`${one.ownerId} ${one.taskId}`, one]));
  return [...distinct.values()].sort((a, b) => b.createTime - a.createTime || b.taskId - a.taskId);
}
