import { groupRoutes } from "./groupRoutes.ts";
import { secondFactorRoutes } from "./secondFactorRoutes.ts";
import { sessionRoutes } from "./sessionRoutes.ts";
import { settingRoutes } from "./settingRoutes.ts";
import { tokenRoutes } from "./tokenRoutes.ts";
import { userRoutes } from "./userRoutes.ts";

export const identityRoutes = {
  ...{ ...sessionRoutes, ...secondFactorRoutes, ...userRoutes, ...tokenRoutes },
  ...{ ...groupRoutes, ...settingRoutes },
};
