import { findFreezes } from "../../../shared/freezes/store/freezes.ts";
import type { Handlers } from "../../../shared/http/createApi.ts";
import { success } from "../../../shared/http/schemas.ts";
import { nowSeconds } from "../../../shared/store/ids.ts";
import type { freezeRoutes } from "./freezeRoutes.ts";
import { toShownFreeze } from "./freezeWire.ts";
import { changeFreeze, deleteFreeze, makeFreeze } from "./saveFreeze.ts";

export const freezeHandlers: Handlers<typeof freezeRoutes> = {
  listFreezes: async () => {
    const now = nowSeconds();
    return (await findFreezes()).map((freeze) => toShownFreeze(freeze, now));
  },
  createFreeze: async ({ body, caller }) => ({ ...success, id: await makeFreeze(body, caller) }),
  updateFreeze: async ({ params, body, caller }) => {
    await changeFreeze(params.freezeId, body, caller);
    return success;
  },
  deleteFreeze: async ({ params, caller }) => {
    await deleteFreeze(params.freezeId, caller);
    return success;
  },
};
