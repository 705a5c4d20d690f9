import * as z from "zod";
import { workspacePath } from "../../../definition/script/texts.ts";

/** What is kept of the workspace of a test or a scan, also after a failure. */
export const archivePaths = z.array(workspacePath).max(50, "must have at most 50 paths").default([]);
