import type { Right } from "./rights.ts";

/** What an endpoint group may do beside reading and writing the table, by the group's name. */
export const groupRights: Readonly<Record<string, readonly Right[]>> = {
  identity: ["bootstrapSecret"],
};
