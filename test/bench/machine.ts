import { cpus, loadavg, totalmem } from "node:os";

/** Facts without which the figures cannot be read, and a warning when somebody else uses the machine. */
export function describeMachine(when: string): string {
  const [processor] = cpus();
  const load = loadavg()[0] ?? 0;
  const cores = cpus().length;
  const facts = [
    `${cores} × ${processor?.model ?? "unknown processor"}`,
    `${(totalmem() / 2 ** 30).toFixed(1)} GB of memory`,
    `Node ${process.version}`,
    `load average ${load.toFixed(2)} ${when}`,
  ];
  const busy = load > cores / 2 ? `\n\n**The machine is busy (load ${load.toFixed(2)}): the figures are noisy.**` : "";
  return facts.join(", ") + busy;
}
