import { admitsProjectAdmins, type Permission } from "../../access/identity/rules/permission.ts";
import { eitherPlace } from "../eitherPlace.ts";
import { fromBody, fromQuery, type Place, type Route, type Routes, spellingsAt } from "../route.ts";
import { templateOf } from "../router.ts";

/** The table of all endpoints with who may call them, as Markdown: one row a declaration, sorted by path. */
export function permissionTable(groups: readonly { name: string; routes: Routes }[]): string {
  const rows = groups
    .flatMap(({ name, routes }) => Object.values(routes).map((route) => ({ group: name, route })))
    .sort((a, b) => sortText(a.route).localeCompare(sortText(b.route), "en"))
    .map(({ group, route }) => [
      `\`${route.method} ${templateOf(route.path)}\``,
      permissionText(route.permission),
      route.scope.projectOf === undefined ? projectText(route) : `its ${route.scope.projectOf}`,
      placeText(route, route.scope.environment),
      route.audit === undefined ? "" : `${route.audit.method} / ${route.audit.function}`,
      group,
    ]);
  const columns = ["Endpoint", "Who may call it", "Project from", "Environment from", "Operation log", "Group"];
  return [columns, columns.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |\n`).join("");
}

function sortText({ path, method }: Route): string {
  return `${path} ${method}`;
}

/** Who may call what has this permission, in words. */
export function permissionText(permission: Permission): string {
  const admins = admitsProjectAdmins(permission) ? ", or administrators of all projects that it is about" : "";
  if (permission.kind === "systemVerb") {
    const holders = permission.orInProject ? `, or \`${permission.orInProject}\` in the project that is named` : "";
    return `\`${permission.verb}\` in the system${admins}${holders}`;
  }
  if (permission.kind !== "verb") return texts[permission.kind] + admins;
  const words = (list: readonly string[]) => list.map((verb) => `\`${verb}\``).join(" or ");
  const { productionVerbs, qualityVerbs } = permission;
  const verbs =
    words(permission.verbs) +
    (productionVerbs === undefined ? "" : `; in a production environment ${words(productionVerbs)}`) +
    (qualityVerbs === undefined
      ? ""
      : `; of a test ${words(qualityVerbs.test)}, of a scan ${words(qualityVerbs.scan)}`);
  if (permission.collaboration === undefined) return verbs;
  const granted =
    permission.collaboration === "anyEnvironment" ? "any one environment" : `this ${permission.collaboration}`;
  return `${verbs}, also for ${granted} alone`;
}

const texts: Record<Exclude<Permission["kind"], "verb" | "systemVerb">, string> = {
  public: "everybody, without a token",
  authenticated: "every user",
  anyRole: "holders of any role",
  filtered: "every user; the answer holds what the caller may read",
  systemAdmin: "system administrators",
  self: "the user itself",
  selfOrAdmin: "the user itself and system administrators",
  member: "members of the project",
  projectAdmin: "administrators of the project; of the namespace `*` system administrators",
};

/** The declared place first; the other one is its fallback. */
function projectText(route: Route): string {
  const either = eitherPlace(route);
  if (either === undefined) return placeText(route, route.scope.project);
  const places = [fromQuery(either.query), fromBody(either.body)];
  return placeText(route, either.declared === "query" ? places : places.toReversed());
}

function placeText(route: Route, places: Place | readonly Place[] | undefined): string {
  return [places ?? []]
    .flat()
    .map((place) => `${place.in} \`${spellingsAt(route, place).join("`, `")}\``)
    .join(", else ");
}
