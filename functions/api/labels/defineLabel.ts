import { badRequest, notFound } from "../../../shared/base/errors/apiError.ts";
import { newId, nowSeconds } from "../../../shared/base/store/ids.ts";
import { retryOnConflict } from "../../../shared/base/store/retryOnConflict.ts";
import {
  changeLabel,
  createLabel,
  findLabel,
  findLabelKeys,
  type LabelKeys,
  maxLabels,
  removeLabel,
} from "../../../shared/projects/store/labels.ts";

interface Wanted {
  key: string;
  description: string;
}

/** @returns the new label's id @throws ApiError 400 for a taken key, or when there are too many labels */
export function defineLabel(wanted: Wanted): Promise<string> {
  return retryOnConflict(async () => {
    const before = await findLabelKeys();
    requireFree(wanted.key, before);
    if (Object.keys(before.byId).length >= maxLabels)
      throw badRequest([{ in: "body", path: "", problem: `there are ${maxLabels} labels, which is the limit` }]);
    const now = nowSeconds();
    const label = { labelId: newId(), ...wanted, createdAt: now, updatedAt: now };
    await createLabel(label, before);
    return label.labelId;
  });
}

/** @throws ApiError 404, or 400 for a taken key */
export function redefineLabel(labelId: string, wanted: Wanted): Promise<void> {
  return retryOnConflict(async () => {
    const [found, before] = await Promise.all([findLabel(labelId), findLabelKeys()]);
    if (found === undefined) throw notFound(`label ${labelId}`);
    requireFree(wanted.key, before, labelId);
    await changeLabel({ ...found, ...wanted, updatedAt: nowSeconds() }, found.version, before);
  });
}

/** Does nothing when the label is gone already (decisions 1.1). */
export function removeDefinedLabel(labelId: string): Promise<void> {
  return retryOnConflict(async () => {
    const [found, before] = await Promise.all([findLabel(labelId), findLabelKeys()]);
    if (found !== undefined) await removeLabel(found, before);
  });
}

function requireFree(key: string, { byId }: LabelKeys, own?: string): void {
  const isTaken = Object.entries(byId).some(([id, other]) => other === key && id !== own);
  if (isTaken) throw badRequest([{ in: "body", path: "key", problem: `a label with the key ${key} exists` }]);
}
