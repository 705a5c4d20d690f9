import type { ArchiveStep, ScriptStep } from "../../pods/rules/containerJob.ts";
import type { JobRun } from "../runner.ts";
import { archivePrefix, fileName } from "./archivePrefix.ts";
import type { ScriptRun } from "./containerRun.ts";

/**
 * The user's script; none when there is nothing to run. Lines that an editor ended with CR LF end with LF: a shell would take
 * the CR for a part of its last word (decisions 19.2).
 */
export function scriptStep({ image, packages, script }: ScriptRun, name = "script"): ScriptStep[] {
  return script === "" && packages.length === 0
    ? []
    : [{ kind: "script", name, image, script: script.replaceAll("\r\n", "\n"), packages }];
}

/** Keeps files beside the job's log. */
export function archiveStep(
  { task, job }: Pick<JobRun, "task" | "job">,
  files: readonly { path: string; name: string }[],
  { always, required }: { always: boolean; required: boolean },
): ArchiveStep[] {
  if (files.length === 0) return [];
  const uploads = files.map(({ path, name }) => ({
    path,
    objectKey: `${archivePrefix({ task, job })}${fileName(name)}`,
    required,
  }));
  return [{ kind: "archive", name: "archive", uploads, ...(always && { always }) }];
}

/** What is kept as the archive of a test or a scan: under its own folder, beside reports. */
export function archived(paths: readonly string[]): { path: string; name: string }[] {
  return paths.map((path) => ({ path, name: `archive/${path}` }));
}
