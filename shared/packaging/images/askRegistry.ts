import type { RegistryRecord } from "../registries/store/registries.ts";
import { ImageProblem } from "./imageProblem.ts";
import { type RegistryAccess, registryAccess } from "./registryAccess.ts";
import { openRegistryLine, type RegistryLine } from "./registryLine.ts";

/** A caller waits for the answer. */
const maxMilliseconds = 15_000;
const patienceMilliseconds = 2000;

/**
 * Asks a registry something while a caller waits, so with little patience.
 * @throws ImageProblem, also when it takes too long
 */
export async function askRegistry<T>(record: RegistryRecord, ask: (line: RegistryLine) => Promise<T>): Promise<T> {
  return askAccess(await registryAccess(record), ask);
}

/** As `askRegistry`, of a registry without a record. */
export async function askAccess<T>(access: RegistryAccess, ask: (line: RegistryLine) => Promise<T>): Promise<T> {
  const signal = AbortSignal.timeout(maxMilliseconds);
  const line = openRegistryLine(access, { limit: 8, signal, patienceMilliseconds });
  try {
    return await ask(line);
  } catch (error) {
    if (error !== signal.reason) throw error;
    const text = `${line.access.address}: the registry has not answered within ${maxMilliseconds / 1000} s`;
    throw new ImageProblem(`${text}; try again later`, { retryable: true });
  } finally {
    line.close();
  }
}

/** Whether a registry is there, is trusted and takes its login. @throws ImageProblem when not */
export async function checkRegistry(access: RegistryAccess): Promise<void> {
  await askAccess(access, async (line) => {
    const { scheme, address } = line.access;
    const request = { method: "GET", repository: "", to: new URL(`${scheme}//${address}/v2/`), about: "" } as const;
    const answer = await line.send(request);
    if (answer.statusCode !== 200) throw await line.explain(answer, request);
    answer.resume();
  });
}
