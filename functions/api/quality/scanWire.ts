import type * as z from "zod";
import { sonarServers } from "../../../shared/integrations/store/sonarServers.ts";
import type {
  ScanDefinition,
  ScanHook,
} from "../../../shared/workflows/jobDefinitions/rules/quality/scanDefinition.ts";
import { showScriptJob } from "../../../shared/workflows/jobDefinitions/showScriptJob.ts";
import type { VersionedDefinition } from "../../../shared/workflows/jobDefinitions/store/definitionStore.ts";
import { savedName } from "../../../shared/workflows/jobDefinitions/store/namedUse.ts";
import type { ScanSummary } from "../../../shared/workflows/jobDefinitions/store/scans.ts";
import type { scanList, scan as scanShape } from "./scanRoutes.ts";

export function scanItem(projectKey: string, item: ScanSummary): z.input<typeof scanList>["codescans"][number] {
  const { name, description, scannerType, updatedBy, updatedAt } = item;
  const times = { update_by: updatedBy, update_time: updatedAt };
  return { name, project_key: projectKey, description, scanner_type: scannerType, ...times };
}

export function scanAnswer(scan: VersionedDefinition<ScanDefinition>): z.input<typeof scanShape> {
  const { content, uses } = scan;
  const { installs, advanced_settings, ...job } = showScriptJob(content, scan);
  const { enabled, hooks } = content.webhooks;
  return {
    ...scanItem(scan.projectKey, { ...scan, ...content }),
    image_name: content.image.label,
    sonar_system: content.sonarId === "" ? "" : savedName(uses, sonarServers.key(content.sonarId)),
    addons: installs,
    ...job,
    prelaunch_script: content.prelaunchScript,
    sonar_parameter: content.sonarParameter,
    script: content.script,
    enable_quality_gate: content.enableQualityGate,
    archive_paths: [...content.archivePaths],
    concurrency_limit: content.concurrencyLimit,
    advanced_settings: { ...advanced_settings, webhooks: { enabled, hook_list: hooks.map(hookAnswer) } },
  };
}

function hookAnswer(hook: ScanHook) {
  return {
    codehost_name: hook.codeHostName,
    repo_namespace: hook.namespace,
    repo_name: hook.repository,
    branch: hook.branch,
    events: [...hook.events],
    match_folders: [...hook.matchFolders],
  };
}
