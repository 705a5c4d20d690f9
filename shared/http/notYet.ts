import * as z from "zod";
import { defineRoute, type Method, type Route } from "./route.ts";

/**
 * Endpoints of the specification that are not built yet: they answer 501, and they are routed like all others so that
 * they never fall to a neighbour's declaration. They stand in no document and in no permission table.
 */
const paths: readonly `${Method} /${string}`[] = ["POST /openapi/projects/project/init/helm"];

export const notYetRoutes: Readonly<Record<string, Route>> = Object.fromEntries(
  paths.map((line) => {
    const [method, path] = line.split(" ") as [Method, `/${string}`];
    return [`not yet: ${line}`, notYet(method, path)];
  }),
);

/** A declaration without words: no operation log, because nothing was asked for that could be done. */
function notYet(method: Method, path: `/${string}`): Route {
  const route = defineRoute({
    method: "GET",
    path,
    summary: "Not built yet",
    tag: "Not yet",
    permission: { kind: "authenticated" },
    response: z.never(),
  });
  return { ...route, method };
}
