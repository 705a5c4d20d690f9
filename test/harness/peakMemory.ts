import { readFileSync } from "node:fs";

/**
 * Most resident memory of this process since its program began, in bytes.
 *
 * Linux keeps `ru_maxrss`, which `process.resourceUsage` tells, across `exec`: a child of a large process begins with what its
 * parent had at the fork. `VmHWM` belongs to the new program alone (proc_pid_status(5), getrusage(2)).
 */
export function peakMemory(): number {
  if (process.platform !== "linux") return process.resourceUsage().maxRSS * 1024;
  const [, kilobytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync("/proc/self/status", "utf8")) ?? [];
  if (kilobytes === undefined) throw new Error("/proc/self/status has no line VmHWM.");
  return Number(kilobytes) * 1024;
}
