import type { ContainerJob } from "./containerJob.ts";
import { ContainerJobInvalid } from "./containerJobInvalid.ts";

/** Most bytes of a Secret; the API server refuses more than 1 MiB. */
const maxSecretBytes = 1_000_000;

/** What no cluster would run, said before one is asked. @throws ContainerJobInvalid */
export function checkJob(job: ContainerJob): void {
  for (const { name } of [...job.env, ...job.secretEnv]) {
    if (!/^[A-Za-z_][A-Za-z0-9_.-]*$/.test(name))
      refuse(`variable ${JSON.stringify(name)}: names consist of letters, digits, _ . - and do not begin with a digit`);
  }
  for (const { name, value } of [...job.env, ...job.secretEnv])
    if (value.includes("\0")) refuse(`variable ${name} holds a zero byte`);
  for (const name of job.outputs)
    if (!/^[a-zA-Z0-9_]{1,64}$/.test(name))
      refuse(`output ${JSON.stringify(name)}: names hold 1 to 64 letters, digits and _`);
  const names = job.steps.map(({ name }) => name);
  for (const name of names)
    if (!/^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$/.test(name) || names.indexOf(name) !== names.lastIndexOf(name))
      refuse(`step ${JSON.stringify(name)}: names are unique and consist of 1 to 40 of a-z 0-9 -`);
  for (const step of job.steps) {
    if ("image" in step && !/^[A-Za-z0-9][^\s"',]*$/.test(step.image))
      refuse(`step ${step.name}: ${JSON.stringify(step.image)} is not an image reference`);
    for (const { name, version } of step.kind === "script" ? step.packages : [])
      if (!/^[A-Za-z0-9][A-Za-z0-9.+_:-]*$/.test(name) || !/^[A-Za-z0-9.+_:~-]*$/.test(version))
        refuse(`package ${JSON.stringify(`${name} ${version}`.trim())} has no name or version of a package`);
  }
}

/** @throws ContainerJobInvalid when scripts and variables together are too much for one Secret */
export function checkSecretSize(content: Readonly<Record<string, string>>): void {
  const bytes = Object.values(content).reduce((total, text) => total + Buffer.byteLength(text), 0);
  if (bytes > maxSecretBytes)
    refuse(`scripts and credentials of the job have ${bytes} bytes; at most ${maxSecretBytes} fit`);
}

function refuse(message: string): never {
  throw new ContainerJobInvalid(message);
}
