import { Button } from "@mantine/core";
import {
  createRootRoute,
  createRoute,
  createRouter,
  type ErrorComponentProps,
  Link,
  lazyRouteComponent,
  Outlet,
  redirect,
} from "@tanstack/react-router";
import { type LogSearch, logSearches } from "./adminQueries.ts";
import { isDay } from "./calendarDays.ts";
import { Failure } from "./parts.tsx";
import { queries } from "./queries.ts";
import { Shell } from "./Shell.tsx";
import { currentSession, watchSession } from "./session.ts";
import { rangeDays } from "./statisticsQueries.ts";
import { useWords } from "./words.tsx";

const optionalText = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

const isLaterPage = (page: unknown): page is number => Number.isSafeInteger(page) && Number(page) > 1;

const pageOf = ({ page }: Record<string, unknown>): { page?: number } => (isLaterPage(page) ? { page } : {});

function NotFound() {
  const { t } = useWords();
  return (
    <>
      <h1>{t("There is no such page.")}</h1>
      <p>
        <Link to="/">{t("Back to the projects")}</Link>
      </p>
    </>
  );
}

/** A page that failed, such as one whose code a newer version of the console replaced. The frame around it stays. */
function Broken({ error }: ErrorComponentProps) {
  const { t } = useWords();
  return (
    <>
      <h1>{t("This page could not be shown.")}</h1>
      <Failure error={error instanceof Error ? error : new Error(String(error))} />
      <Button onClick={() => location.reload()}>{t("Load the page again")}</Button>
    </>
  );
}

const root = createRootRoute({ component: Outlet });

/** Where to go on behind a sign-in. */
const wayOn = (search: Record<string, unknown>): { from?: string } => {
  const from = optionalText(search.from);
  // Only to pages of the console.
  return from !== undefined && /^\/(?!\/)/.test(from) ? { from } : {};
};

const signIn = createRoute({
  getParentRoute: () => root,
  path: "/sign-in",
  validateSearch: wayOn,
  component: lazyRouteComponent(() => import("./pages/SignIn.tsx")),
});

const twoFactor = createRoute({
  getParentRoute: () => root,
  path: "/two-factor",
  validateSearch: wayOn,
  component: lazyRouteComponent(() => import("./pages/TwoFactor.tsx")),
});

const signedOn = createRoute({
  getParentRoute: () => root,
  path: "/signed-on",
  component: lazyRouteComponent(() => import("./pages/SignedOn.tsx")),
});

const shell = createRoute({
  getParentRoute: () => root,
  id: "shell",
  // Before anything is shown, and again when a login ends; signing in leads back to the same page.
  beforeLoad: ({ location: { href } }) => {
    const session = currentSession();
    if (session !== undefined && !session.mustEnrol) return;
    const to = session === undefined ? "/sign-in" : "/two-factor";
    throw redirect({ to, search: href === "/" ? {} : { from: href }, replace: true });
  },
  component: Shell,
});

const projects = createRoute({
  getParentRoute: () => shell,
  path: "/",
  component: lazyRouteComponent(() => import("./pages/Projects.tsx")),
});

const apply = createRoute({
  getParentRoute: () => shell,
  path: "/apply",
  component: lazyRouteComponent(() => import("./pages/Apply.tsx")),
});

// The addresses that notifications and statuses link to begin with these.
const project = createRoute({
  getParentRoute: () => shell,
  path: "/v1/projects/detail/$project",
  component: lazyRouteComponent(() => import("./pages/Project.tsx")),
});

const boundary = createRoute({
  getParentRoute: () => shell,
  path: "/v1/projects/detail/$project/boundary",
  component: lazyRouteComponent(() => import("./pages/Boundary.tsx")),
});

const environmentOf = ({ envName, production }: Record<string, unknown>): { envName: string; production?: true } => ({
  envName: String(envName ?? "dev"),
  ...(production === true && { production: true }),
});

const environment = createRoute({
  getParentRoute: () => shell,
  path: "/v1/projects/detail/$project/envs/detail",
  validateSearch: (search: Record<string, unknown>): ReturnType<typeof environmentOf> & { service?: string } => {
    const service = optionalText(search.service);
    return { ...environmentOf(search), ...(service !== undefined && { service }) };
  },
  component: lazyRouteComponent(() => import("./pages/Environment.tsx")),
});

const environmentSettings = createRoute({
  getParentRoute: () => shell,
  path: "/v1/projects/detail/$project/envs/settings",
  validateSearch: environmentOf,
  component: lazyRouteComponent(() => import("./pages/EnvironmentSettings.tsx")),
});

const comparison = createRoute({
  getParentRoute: () => shell,
  path: "/v1/projects/detail/$project/envs/compare",
  validateSearch: ({ one, other }: Record<string, unknown>): { one?: string; other?: string } => ({
    ...(one !== undefined && { one: String(one) }),
    ...(other !== undefined && { other: String(other) }),
  }),
  component: lazyRouteComponent(() => import("./pages/Comparison.tsx")),
});

const workflow = createRoute({
  getParentRoute: () => shell,
  path: "/v1/projects/detail/$project/pipelines/custom/$workflow",
  validateSearch: pageOf,
  component: lazyRouteComponent(() => import("./pages/Workflow.tsx")),
});

const newWorkflow = createRoute({
  getParentRoute: () => shell,
  path: "/v1/projects/detail/$project/pipelines/new",
  component: lazyRouteComponent(() => import("./pages/NewWorkflow.tsx")),
});

const editWorkflow = createRoute({
  getParentRoute: () => shell,
  path: "/v1/projects/detail/$project/pipelines/custom/$workflow/edit",
  component: lazyRouteComponent(() => import("./pages/EditWorkflow.tsx")),
});

const task = createRoute({
  getParentRoute: () => shell,
  path: "/v1/projects/detail/$project/pipelines/custom/$workflow/$task",
  component: lazyRouteComponent(() => import("./pages/Task.tsx")),
});

/** A page of the services of one kind with this in their names; and one of them with a revision, and a page of its revisions. */
interface ServicesSearch {
  production?: true | undefined;
  text?: string;
  list?: number;
  service?: string;
  revision?: number;
  page?: number;
}

const services = createRoute({
  getParentRoute: () => shell,
  path: "/v1/projects/detail/$project/services",
  validateSearch: (search: Record<string, unknown>): ServicesSearch => ({
    ...(search.service !== undefined && { service: String(search.service) }),
    ...(search.production === true && { production: true }),
    ...(Number.isSafeInteger(search.revision) && { revision: Number(search.revision) }),
    ...pageOf(search),
    ...(isLaterPage(search.list) && { list: search.list }),
    ...(search.text !== undefined && { text: String(search.text) }),
  }),
  component: lazyRouteComponent(() => import("./pages/Services.tsx")),
});

const newService = createRoute({
  getParentRoute: () => shell,
  path: "/v1/projects/detail/$project/services/new",
  component: lazyRouteComponent(() => import("./pages/NewService.tsx")),
});

const versions = createRoute({
  getParentRoute: () => shell,
  path: "/v1/projects/detail/$project/version",
  validateSearch: pageOf,
  component: lazyRouteComponent(() => import("./pages/Versions.tsx")),
});

const version = createRoute({
  getParentRoute: () => shell,
  path: "/v1/projects/detail/$project/version/$version",
  validateSearch: ({ compare }: Record<string, unknown>): { compare?: string } =>
    compare === undefined ? {} : { compare: String(compare) },
  component: lazyRouteComponent(() => import("./pages/Version.tsx")),
});

const trace = createRoute({
  getParentRoute: () => shell,
  path: "/v1/artifacts/trace",
  validateSearch: ({ image }: Record<string, unknown>): { image: string } => ({ image: String(image ?? "") }),
  component: lazyRouteComponent(() => import("./pages/Trace.tsx")),
});

const account = createRoute({
  getParentRoute: () => shell,
  path: "/account",
  component: lazyRouteComponent(() => import("./pages/Account.tsx")),
});

/** The list of release plans by its page; or the board; or the calendar at a day, with a freeze told. */
interface PlansSearch {
  page?: number;
  view?: "board" | "calendar";
  span?: "week" | undefined;
  day?: string | undefined;
  freeze?: string;
}

const plans = createRoute({
  getParentRoute: () => shell,
  path: "/v1/releasePlan",
  validateSearch: (search: Record<string, unknown>): PlansSearch => ({
    ...pageOf(search),
    ...((search.view === "board" || search.view === "calendar") && { view: search.view }),
    ...(search.span === "week" && { span: search.span }),
    ...(isDay(search.day) && { day: search.day }),
    ...(search.freeze !== undefined && { freeze: String(search.freeze) }),
  }),
  component: lazyRouteComponent(() => import("./pages/Plans.tsx")),
});

const plan = createRoute({
  getParentRoute: () => shell,
  path: "/v1/releasePlan/detail",
  validateSearch: ({ id }: Record<string, unknown>): { id: string } => ({ id: String(id ?? "") }),
  component: lazyRouteComponent(() => import("./pages/Plan.tsx")),
});

const statistics = createRoute({
  getParentRoute: () => shell,
  path: "/v1/statistics",
  validateSearch: ({ days, project }: Record<string, unknown>): { days?: number; project?: string } => ({
    ...(rangeDays.some((range) => range === days) && { days: Number(days) }),
    ...(project !== undefined && { project: String(project) }),
  }),
  component: lazyRouteComponent(() => import("./pages/Statistics.tsx")),
});

const administration = createRoute({
  getParentRoute: () => shell,
  path: "/administration",
  validateSearch: (
    search: Record<string, unknown>,
  ): { page?: number; users?: number; user?: string; by?: LogSearch; text?: string } => ({
    ...pageOf(search),
    ...(isLaterPage(search.users) && { users: search.users }),
    ...(search.user !== undefined && { user: String(search.user) }),
    ...(logSearches.some((one) => one === search.by) && { by: search.by as LogSearch }),
    ...(search.text !== undefined && { text: String(search.text) }),
  }),
  component: lazyRouteComponent(() => import("./pages/Administration.tsx")),
});

const roles = createRoute({
  getParentRoute: () => shell,
  path: "/administration/roles",
  validateSearch: ({ namespace }: Record<string, unknown>): { namespace?: string } =>
    namespace === undefined ? {} : { namespace: String(namespace) },
  component: lazyRouteComponent(() => import("./pages/Roles.tsx")),
});

const groups = createRoute({
  getParentRoute: () => shell,
  path: "/administration/groups",
  validateSearch: (search: Record<string, unknown>): { page?: number; name?: string; group?: string } => ({
    ...pageOf(search),
    ...(search.name !== undefined && { name: String(search.name) }),
    ...(search.group !== undefined && { group: String(search.group) }),
  }),
  component: lazyRouteComponent(() => import("./pages/Groups.tsx")),
});

const security = createRoute({
  getParentRoute: () => shell,
  path: "/administration/security",
  component: lazyRouteComponent(() => import("./pages/Security.tsx")),
});

/** What the form of an operation begins with, by the names of its parameters. */
const givenOf = ({ with: given }: Record<string, unknown>): { with?: Record<string, string> } =>
  typeof given === "object" && given !== null
    ? { with: Object.fromEntries(Object.entries(given).map(([name, value]) => [name, String(value)])) }
    : {};

const operations = createRoute({
  getParentRoute: () => shell,
  path: "/operations",
  validateSearch: ({ text }: Record<string, unknown>): { text?: string } =>
    text === undefined ? {} : { text: String(text) },
  component: lazyRouteComponent(() => import("./pages/Operations.tsx")),
});

const operation = createRoute({
  getParentRoute: () => shell,
  path: "/operations/$operation",
  validateSearch: givenOf,
  component: lazyRouteComponent(() => import("./pages/Operation.tsx")),
});

const missing = createRoute({ getParentRoute: () => shell, path: "$", component: NotFound });

const pages = [
  ...[projects, apply, project, services, newService, environment, environmentSettings, comparison, workflow, task],
  ...[newWorkflow, editWorkflow, versions, version, trace, account, plans, plan, statistics],
  ...[administration, roles, groups, security, boundary, operations, operation, missing],
];

export const router = createRouter({
  routeTree: root.addChildren([signIn, signedOn, twoFactor, shell.addChildren(pages)]),
  basepath: new URL(document.baseURI).pathname,
  defaultErrorComponent: Broken,
});

let before = currentSession();
watchSession(() => {
  const [last, now] = [before, currentSession()];
  before = now;
  if (now === undefined) return leave();
  // What is shown and was typed belongs to another user.
  if (last !== undefined && last.uid !== now.uid) return location.assign(document.baseURI);
  if (last?.mustEnrol !== now.mustEnrol) void router.invalidate();
  if (last?.hasEnded && !now.hasEnded) void queries.invalidateQueries();
});

/** To the sign-in, and on to the same page from there. Who signs out leaves what is not saved. */
function leave(): void {
  queries.clear();
  const { href, pathname } = router.state.location;
  if (pathname === "/sign-in" || pathname === "/signed-on") return;
  const search = href === "/" || pathname === "/two-factor" ? {} : { from: href };
  void router.navigate({ to: "/sign-in", search, replace: true, ignoreBlocker: true });
}

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
