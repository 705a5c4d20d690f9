import { isRecord } from "../../manifest/schema/kubeObject.ts";
import type { Repository, RepositoryRevision } from "../definition/script/repository.ts";

/** What happened in a repository, and set a task going. */
export interface PushedRevision extends Omit<RepositoryRevision, "mergeBranches"> {
  codeHostId: number;
  /** Namespace and name. */
  path: string;
}

/** Beside the fields of a definition, so that a retry clones the same. */
const field = "slipway_pushed";

export function pushedInto<T extends object>(definition: T, pushed: PushedRevision): T {
  return { ...definition, [field]: pushed };
}

/** The repository as it was pushed, where that is what started the task; whatever the workflow says of it counts no more. */
export function withPushed(repository: Repository, definition: object): Repository {
  const pushed: unknown = Reflect.get(definition, field);
  if (!isRecord(pushed)) return repository;
  const { codeHostId, path, ...revision } = pushed as unknown as PushedRevision;
  const { namespace, owner, name } = repository;
  const isIt = [namespace, owner].some((one) => `${one}/${name}`.toLowerCase() === path.toLowerCase());
  return isIt && repository.codeHostId === codeHostId ? { ...repository, ...revision, mergeBranches: [] } : repository;
}
