import * as z from "zod";
import type { AdvancedSettings, AdvancedSettingsInput } from "./advancedSettings.ts";
import type { KeyVal } from "./keyVal.ts";
import type { Repository, RepositoryInput } from "./repository.ts";
import { line, optionalText } from "./texts.ts";

export const infrastructures = ["kubernetes", "vm"] as const;
export const scriptTypes = ["shell", "batch_file", "powershell"] as const;

/** The image that scripts run in: a registered base image, or one of the two that always are there. */
export interface JobImage {
  /** Record id of the base image; empty for one that always is there. */
  imageId: string;
  label: string;
}

/** A package that is installed before the script. */
export interface Package {
  name: string;
  version: string;
}

/** What builds, tests and scans have in common: repositories, variables, and a script in an image. */
export interface ScriptJob {
  /** `vm` is stored and cannot run (decisions 7.6). */
  infrastructure: (typeof infrastructures)[number];
  image: JobImage;
  installs: readonly Package[];
  /** Others than `shell` are stored and cannot run (decisions 7.6). */
  scriptType: (typeof scriptTypes)[number];
  script: string;
  repositories: readonly Repository[];
  /** Values of credentials are kept apart, sealed. */
  keyVals: readonly KeyVal[];
  settings: AdvancedSettings;
}

/** As callers send it: everything by its name. */
export interface ScriptJobInput extends Pick<ScriptJob, "infrastructure" | "installs" | "scriptType" | "script"> {
  imageLabel: string;
  repositories: readonly RepositoryInput[];
  keyVals: readonly KeyVal[];
  settings: AdvancedSettingsInput;
}

/** Packages as callers send them. */
export const packageInputs = z
  .array(z.object({ name: line(128), version: optionalText(64).default("") }))
  .max(50, "must have at most 50 packages");

export const shownPackages = z.array(z.object({ name: z.string(), version: z.string() }));

/** Far more than a script has; longer ones belong into a repository. */
const maxScriptCharacters = 1_000_000;

export const scriptText = z
  .string("must be a text")
  .max(maxScriptCharacters, `must have at most ${maxScriptCharacters} characters`);
