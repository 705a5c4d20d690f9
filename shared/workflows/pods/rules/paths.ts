/** Where things are in the containers of a job. */
export const workspacePath = "/workspace";
/** Shared by all containers: what a step leaves for the later ones. */
export const statePath = "/slipway";
/** Why a step of ours failed, in one sentence; written by it right before it ends. */
export const reasonPath = `${statePath}/reason`;
/** What was checked out: a line for each repository. */
export const commitsPath = `${statePath}/commits`;
/** A file a name: variables of scripts that have no other value. */
export const variablesPath = `${statePath}/variables`;
/** A file a name: outputs of scripts (contract W 7). */
export const resultsPath = "/zadig/results";
/** Files of the job's Secret, each only in the container that needs it. */
export const filesPath = "/slipway-files";

/** An absolute path without `.`, `..` and doubled slashes; relative ones begin in `base`. */
export function absolutePath(path: string, base: string = workspacePath): string {
  const parts: string[] = [];
  for (const part of (path.startsWith("/") ? path : `${base}/${path}`).split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  return `/${parts.join("/")}`;
}

/** Whether a path without `..` is that folder or in it. */
export function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}
