import type { KeyVal } from "../../../definition/script/keyVal.ts";
import type { Output } from "../../../definition/script/output.ts";
import type { Repository } from "../../../definition/script/repository.ts";
import type { ScriptJob } from "../../../definition/script/scriptJob.ts";

/** A service module that a build makes. Builds from a template have repositories and variables for each (contract W 10.3). */
export interface BuildTarget {
  serviceName: string;
  serviceModule: string;
  /** Empty for builds of their own, which have them once for all targets. */
  repositories: readonly Repository[];
  keyVals: readonly KeyVal[];
}

/** How an image is built and pushed after the script (contract W 10.1, 11.6). */
export interface DockerBuild {
  /** Below the workspace. */
  contextDirectory: string;
  /** `local`: a file of a repository; `template`: one of the template library. */
  source: "local" | "template";
  /** Of a local one: its path. */
  dockerfilePath: string;
  /** Of a template: its record id. */
  templateId: string;
  /** As given: `--build-arg` and other options. */
  buildArgs: string;
  enableBuildkit: boolean;
  /** Comma-separated; empty: the node's. */
  platforms: string;
}

/** What a build template and a build of its own have in common. */
export interface BuildScript extends ScriptJob {
  dockerBuild: DockerBuild | undefined;
  /** Beside `IMAGE` and `PKG_FILE`. */
  outputs: readonly Output[];
}

/** A build as it is stored (contract W 10): everything that a run needs, with references by record id. */
export type BuildDefinition = BuildOfItsOwn | BuildFromTemplate;

export interface BuildOfItsOwn extends BuildScript {
  source: "zadig";
  targets: readonly BuildTarget[];
}

/** The template decides script, image and steps; the targets have repositories and variables. */
export interface BuildFromTemplate {
  source: "template";
  templateId: string;
  targets: readonly BuildTarget[];
}
