import type * as z from "zod";
import type { JobSpecNotice } from "../../integrations/notify/rules/jobSpecNotice.ts";
import type { Tree } from "../../manifest/tree.ts";
import type { DefinitionLists } from "./definitionOptions.ts";
import type { JobOptions, OptionNeeds } from "./jobOptions.ts";

/** Integrations of other systems that jobs work with. */
export type UsedIntegration = "jenkins" | "database" | "configuration" | "issue-tracker";

/** What is known of a kind of job before it is planned: everything but how it is planned, how it runs and what it would do. */
export interface JobKind {
  type: string;
  /** The type in English and in Chinese (contract W 15.4). */
  words: readonly [en: string, zh: string];
  /** The one form of its spec: a workflow that is saved, a plan and a run read the same. */
  schema: z.ZodType;
  /** Lists of the spec whose items are run by the name in `field`. */
  references?: { kind: "build" | "test" | "scan"; lists: readonly string[]; field: string };
  /** The integration that it works with, by the field of the spec that has its id. */
  uses?: { kind: UsedIntegration; field: string };
  /** Of tests or scans: what is chosen, and what may be. */
  lists?: DefinitionLists;
  /** What must be looked up for `options`. */
  needs?(spec: Tree, projectKey: string): Partial<OptionNeeds>;
  /** The spec with what may be chosen (contract W 2.2). */
  options?(spec: Tree, options: JobOptions): Tree;
  /** The spec with every key that readers of a workflow's detail count on. */
  filled?(spec: Tree): Tree;
  /** What messages say of the spec as it is shown (contract W 4.4); without it nothing of its own. */
  notice?(spec: Tree, outputs: Readonly<Record<string, string>>): JobSpecNotice;
  /** It waits for people or notifies them, and runs without being named by a start (contract W 2.4). */
  alwaysSelected?: true;
  /** It does something to environments; its folder has a `preview.ts` that says what it would do. */
  previews?: true;
  /** It reaches objects of a namespace without being asked which environment that belongs to. */
  namesNamespace?: true;
  /** It changes what runs in the environment that it names; a restart does not. */
  changesEnvironment?: true;
  /** It deploys beside what runs, and jobs of this type make an end of that: exactly one for each. */
  releasedBy?: string;
  /** A step of a rollout, which users may hold, release and take back. */
  rollsOut?: true;
  /** One job task does all that its lists name; of other kinds each entry is a job task. */
  isOneTask?: true;
  /** Its outputs have an image for each module (contract W 7). */
  givesImages?: true;
  /** It says what it does in its record, and leaves that as its log. */
  tells?: true;
  /** People decide about it, and its detail says what each said. */
  isDecided?: true;
}
