/** Why a job cannot run here (decisions 7.6), as a sentence; empty when it can. */
export function refusalOf(job: {
  infrastructure?: string | null | undefined;
  scriptType?: string | null | undefined;
}): string {
  const { infrastructure, scriptType } = job;
  if (infrastructure === "vm")
    return "jobs on hosts (infrastructure vm) cannot be run here; use the infrastructure kubernetes";
  if (scriptType && scriptType !== "shell")
    return `scripts of type ${scriptType} cannot be run here; use a shell script`;
  return "";
}
