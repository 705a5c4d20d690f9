import { changeLabel, environmentLabel } from "../../kube/apply/marks.ts";
import { isRecord } from "../../manifest/schema/kubeObject.ts";
import { removeCachedDiscovery } from "./cachedDiscovery.ts";
import { ChartProblem } from "./chartProblem.ts";
import type { ProxiedCluster } from "./kubeProxy.ts";
import { throughPostRenderer } from "./postRenderer.ts";
import { failureWords } from "./rules/failureWords.ts";
import { type HelmAnswer, type HelmRun, runHelm } from "./runHelm.ts";

/** What a release is to be. */
export interface WantedRelease {
  name: string;
  environmentId: string;
  archive: Buffer;
  /** Complete: nothing of the release before counts. */
  values: string;
  /** Whose new revision it is; none when an older state comes back. */
  changeId?: string;
  /** Shown by `helm history`. */
  description?: string;
}

interface MadeRelease {
  manifest: string;
  revision: number;
}

/** What an upgrade may take. */
export interface HelmLimits {
  /** Its hooks together, instead of the longest time. */
  hookSeconds?: number;
  /** Cuts Helm off where it is. */
  signal?: AbortSignal;
}

/** A hook may take as long as this (decisions 11.3), and Helm a minute more. */
const longestHookSeconds = 12 * 60;

/**
 * Installs or upgrades a release (decisions 11.5); what comes of it is seen by others, Helm waits for hooks alone.
 * @throws ChartProblem telling which template or object failed and why
 */
export function upgradeRelease(
  door: ProxiedCluster & { namespace: string },
  wanted: WantedRelease,
  { hookSeconds = longestHookSeconds, signal }: HelmLimits = {},
): Promise<MadeRelease> {
  const seconds = Math.min(hookSeconds, longestHookSeconds);
  return upgrade(door, wanted, ["--timeout", `${seconds}s`], { seconds: seconds + 60, signal });
}

/**
 * What the release would hold (decisions 11.7). Kinds that the chart itself brings are not served yet, so that the server
 * cannot be asked about them.
 * @throws ChartProblem as `upgradeRelease`
 */
export async function previewRelease(
  door: ProxiedCluster,
  wanted: WantedRelease,
  { seconds, definesKinds }: { seconds: number; definesKinds: boolean },
): Promise<MadeRelease> {
  const readOnly = { ...door, readOnly: true };
  try {
    return await upgrade(readOnly, wanted, ["--dry-run=server"], { seconds });
  } catch (error) {
    if (
      !definesKinds ||
      !(error instanceof ChartProblem) ||
      !/no matches for kind|could not find the requested resource/.test(error.message)
    )
      throw error;
    return upgrade(readOnly, wanted, ["--dry-run=client"], { seconds });
  }
}

async function upgrade(
  door: ProxiedCluster,
  wanted: WantedRelease,
  extra: readonly string[],
  within: Pick<HelmRun, "seconds" | "signal">,
): Promise<MadeRelease> {
  const startedAt = performance.now();
  let ended = await runUpgrade(door, wanted, extra, within);
  // Helm has touched nothing yet; the kind may have come a moment ago.
  if (ended.code !== 0 && /no matches for kind/.test(ended.stderr) && removeCachedDiscovery(door.client, startedAt))
    ended = await runUpgrade(door, wanted, extra, within);
  const { code, stdout, stderr } = ended;
  if (code !== 0) throw new ChartProblem(failureWords(stderr));
  const made: unknown = JSON.parse(stdout);
  if (!isRecord(made) || typeof made.version !== "number") throw new Error("Helm's answer has no revision");
  // Helm leaves it out where a chart renders no object but hooks.
  const { manifest = "" } = made;
  if (typeof manifest !== "string") throw new Error("Helm's answer has no manifest");
  return { manifest, revision: made.version };
}

function runUpgrade(
  door: ProxiedCluster,
  { name, environmentId, changeId, archive, values, description }: WantedRelease,
  extra: readonly string[],
  within: Pick<HelmRun, "seconds" | "signal">,
): Promise<HelmAnswer> {
  return runHelm({
    args: [
      ...["upgrade", "--install", name, "chart.tgz", "--namespace", door.namespace, "--values", "values.yaml"],
      ...["--server-side=true", "--force-conflicts", "--reset-values", "--history-max", "20", "--skip-crds"],
      // Labels of the revision before stay on the next one; null takes one off.
      ...["--labels", `${environmentLabel}=${environmentId},${changeLabel}=${changeId ?? "null"}`, "--output", "json"],
      // The API server refuses unknown fields itself; for this Helm would read its whole schema twice.
      "--disable-openapi-validation",
      ...throughPostRenderer,
      ...(description === undefined ? [] : ["--description", description]),
      ...extra,
    ],
    files: { "chart.tgz": archive, "values.yaml": values },
    door,
    ...within,
  });
}

/** Takes a release away with its hooks; nothing happens when there is none. @throws ChartProblem */
export async function uninstallRelease(door: ProxiedCluster, name: string): Promise<void> {
  const { code, stderr } = await runHelm({
    args: ["uninstall", name, "--namespace", door.namespace, "--ignore-not-found", "--timeout", "8m"],
    door,
    seconds: 9 * 60,
  });
  if (code !== 0) throw new ChartProblem(failureWords(stderr));
}

/**
 * Runs the tests of a release one after another until one fails; how each ended Helm notes in the release.
 * @returns why it stopped, in words for users; empty when every test passed
 * @throws ChartProblem when it was cut off
 */
export async function testRelease(door: ProxiedCluster, name: string, signal: AbortSignal): Promise<string> {
  const { code, stderr } = await runHelm({
    args: ["test", name, "--namespace", door.namespace, "--timeout", `${longestHookSeconds}s`],
    ...{ door, seconds: longestHookSeconds + 60, signal },
  });
  return code === 0 ? "" : failureWords(stderr);
}

/** Everything that a release was made with, the chart's defaults included, as YAML. @throws ChartProblem */
export async function releaseValues(door: ProxiedCluster, name: string): Promise<string> {
  const { code, stdout, stderr } = await runHelm({
    args: ["get", "values", name, "--all", "--output", "yaml", "--namespace", door.namespace],
    door: { ...door, readOnly: true },
    seconds: 20,
  });
  if (code !== 0) throw new ChartProblem(failureWords(stderr));
  return stdout;
}
