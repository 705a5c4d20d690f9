import { ApiError, badRequest, notFound } from "../../../shared/base/errors/apiError.ts";
import { newId } from "../../../shared/base/store/ids.ts";
import { keys } from "../../../shared/base/store/keys/keys.ts";
import type { SchedulingStrategy } from "../../../shared/kube/clusters/store/clusters.ts";
import { changeStrategies } from "../../../shared/kube/clusters/strategies.ts";
import { requireUnused } from "../../../shared/workflows/jobDefinitions/requireUnused.ts";

type Wanted = Omit<SchedulingStrategy, "strategyId">;
type Strategies = readonly SchedulingStrategy[];

/** Every read of a cluster reads its strategies with it. */
const maxBytes = 16 * 1024;

/** @returns the new strategy's id @throws ApiError 404; 400 for a taken name, or when there are too many */
export async function addStrategy(clusterId: string, wanted: Wanted): Promise<string> {
  const strategyId = newId();
  await changed(clusterId, (before) => placed(before, { strategyId, ...wanted }));
  return strategyId;
}

/**
 * Replaces the strategy of the id, or without one that of the name, or adds it. The default stays it until another is.
 * @returns the strategy's id @throws ApiError 404; 400 as `addStrategy`
 */
export async function putStrategy(clusterId: string, id: string | undefined, wanted: Wanted): Promise<string> {
  let strategyId = id ?? newId();
  await changed(clusterId, (before) => {
    const found = before.find((one) => (id === undefined ? one.name === wanted.name : one.strategyId === id));
    if (id !== undefined && found === undefined) throw notFound(`strategy ${id} of cluster ${clusterId}`);
    strategyId = found?.strategyId ?? strategyId;
    return placed(before, { ...wanted, strategyId, isDefault: wanted.isDefault || (found?.isDefault ?? false) });
  });
  return strategyId;
}

/**
 * Deletes a strategy; one that is gone already is no error (decisions 1.1).
 * @throws ApiError 6645 for the default and while something refers to it
 */
export async function removeStrategy(clusterId: string, strategyId: string): Promise<void> {
  await changeStrategies(clusterId, async (before) => {
    const found = before.find((one) => one.strategyId === strategyId);
    if (found === undefined) return before;
    if (found.isDefault) throw new ApiError(6645, `${found.name} is the default; set another one as the default first`);
    await requireUnused(`the strategy ${found.name}`, { key: keys.cluster(clusterId), part: strategyId }, 6645);
    return before.filter((one) => one !== found);
  });
}

async function changed(clusterId: string, change: (before: Strategies) => Strategies): Promise<void> {
  if (!(await changeStrategies(clusterId, change))) throw notFound(`cluster ${clusterId}`);
}

/** The strategies with this one in its place, or beside them; there is one default. */
function placed(before: Strategies, strategy: SchedulingStrategy): Strategies {
  const others = before.filter(({ strategyId }) => strategyId !== strategy.strategyId);
  if (others.some(({ name }) => name === strategy.name)) throw refused("name", "is the name of another strategy");
  const after = [...others.map((one) => (strategy.isDefault ? { ...one, isDefault: false } : one)), strategy];
  if (Buffer.byteLength(JSON.stringify(after)) > maxBytes)
    throw refused("", `the strategies of a cluster have at most ${maxBytes} bytes together; delete one first`);
  return after;
}

function refused(path: string, problem: string): ApiError {
  return badRequest([{ in: "body", path, problem }]);
}
