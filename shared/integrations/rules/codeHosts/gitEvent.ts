/** What happened in a repository, whichever code host tells of it, and what there is to run because of it. */
export interface GitEvent {
  event: "push" | "tag" | "pull_request_opened" | "pull_request_updated" | "pull_request_merged";
  /** That was pushed, or that a pull request brings. */
  branch: string;
  /** That a pull request goes into. */
  target: string;
  tag: string;
  commit: string;
  /** Of the head commit; of a pull request its title. */
  message: string;
  /** Of the head commit; empty where the code host does not say. */
  headMessage: string;
  committer: string;
  /** Its number; 0: none. */
  pullRequest: number;
  /** The repository that a pull request comes from, where it is another one; empty: it is not. */
  fork: string;
  /** Whether there are commits, or a target, that were not there before: a pull request that is opened again brings none. */
  bringsCommits: boolean;
  /** That a push changes; absent where the code host does not say, or not of all. */
  files?: readonly string[];
}

/** Something that happened and brings nothing to run, and why in a sentence. */
export interface QuietEvent {
  event: "push" | "tag" | "pull_request";
  quiet: string;
}

/** What every event has until it says otherwise. */
export const noEvent = {
  ...{ branch: "", target: "", tag: "", commit: "", message: "", headMessage: "", committer: "" },
  ...{ pullRequest: 0, fork: "", bringsCommits: true },
} as const;
