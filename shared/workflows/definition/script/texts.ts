import * as z from "zod";

/** A text of one line that is not empty: names of repositories, branches, directories. */
export function line(most = 256) {
  return optionalText(most).min(1, { error: "cannot be empty", abort: true });
}

/** A text of one line; empty means none. */
export function optionalText(most = 256) {
  return z
    .string("must be a text")
    .max(most, `must have at most ${most} characters`)
    .refine((text) => !/\p{Cc}/u.test(text), "must not contain control characters or line breaks");
}

/** A path below the job's workspace: it may not leave it. */
export const workspacePath = optionalText(1024).refine(
  (text) => !text.startsWith("/") && !text.split("/").includes(".."),
  "must be a path inside the workspace, without a leading / and without ..",
);

/** A path from the root of the container. */
export const absolutePath = line(1024).refine(
  (text) => text.startsWith("/") && !text.split("/").includes(".."),
  "must be an absolute path, without ..",
);
