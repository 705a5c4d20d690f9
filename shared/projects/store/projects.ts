import { allUsersGroupId, projectAdminRole } from "../../access/identity/rules/actions.ts";
import { type BoundUser, bindFirst, markGroupBound } from "../../access/identity/store/bindings.ts";
import { removeCollaborations } from "../../access/identity/store/collaborations.ts";
import { createPolicy, newProjectPolicy, removePolicy } from "../../access/identity/store/policies.ts";
import { notFound } from "../../base/errors/apiError.ts";
import {
  absent,
  both,
  type Condition,
  either,
  equals,
  exists,
  mustBeFreeOr,
  mustExist,
  mustHaveVersion,
  mustLack,
} from "../../base/store/conditions.ts";
import { count, readCounter } from "../../base/store/counters.ts";
import { nowSeconds } from "../../base/store/ids.ts";
import { dues, keys, lists, padded, type ServiceKind } from "../../base/store/keys/keys.ts";
import { listedPage } from "../../base/store/listedPage.ts";
import { table } from "../../base/store/table.ts";
import { ConditionFailed, type Item } from "../../base/store/tableClient.ts";
import { check, create, named, remove, update, type Write } from "../../base/store/writes.ts";
import type { ServiceVariable } from "../../manifest/variables/serviceVariable.ts";
import { defaultPatterns, type ImagePatterns } from "../../packaging/helm/rules/imagePatterns.ts";
import { removeBoundaryWrites } from "./boundaries.ts";
import { removeRetention } from "./retentions.ts";

export interface Project {
  projectKey: string;
  name: string;
  isPublic: boolean;
  description: string;
  projectType: "yaml" | "helm" | "loaded";
  createdBy: string;
  createdAt: number;
  updatedAt: number;
  /** Set while what belongs to it is being taken away: it is shown nowhere, and its key and name stay taken. */
  deleting?: true;
  /** Of a deletion: whether objects of test environments go too, and who asked for it. */
  deleteObjects?: boolean;
  deletedBy?: string;
  /** Of a project that begins with services and environments, until all of them were made: whose request it is. */
  initializationDigest?: string;
  /** Unix seconds until which that request is being worked on. */
  initializationUntil?: number;
  /** Of charts; absent where they were not set. */
  imagePatterns?: ImagePatterns;
  /** Read them by `definitionTotal`. */
  buildTotal?: number;
  testTotal?: number;
  scanTotal?: number;
}

/** What the list shows of a project. */
export type ProjectSummary = Pick<Project, "projectKey" | "name" | "description" | "projectType">;

type GlobalVariables = Record<ServiceKind, ServiceVariable[]>;

const counterName = "projects";
const mustStand = mustLack("deleting");
const mustBeLeaving = mustBeFreeOr(exists("deleting"));
const mustBeEmptyAndLeaving = mustBeFreeOr(
  both(exists("deleting"), either(absent("environments"), equals("environments", 0))),
);

export function findProject(projectKey: string): Promise<Item<Project> | undefined> {
  return table().get<Project>(keys.project(projectKey));
}

/** By which the values of a project's charts are searched for images. */
export async function findImagePatterns(projectKey: string): Promise<ImagePatterns> {
  return (await findProject(projectKey))?.imagePatterns ?? defaultPatterns;
}

/** @throws ApiError 404 for a project that is missing or being deleted */
export async function setImagePatterns(projectKey: string, imagePatterns: ImagePatterns): Promise<void> {
  const written = update(keys.project(projectKey), { set: { imagePatterns } }, mustStand);
  await table()
    .write(written)
    .catch((error: unknown) => {
      throw error instanceof ConditionFailed ? notFound(`project ${projectKey}`) : error;
    });
}

/** @throws ApiError 404 when it is missing or being deleted */
export async function requireProject(projectKey: string): Promise<Item<Project>> {
  const project = await findProject(projectKey);
  if (project === undefined || project.deleting) throw notFound(`project ${projectKey}`);
  return project;
}

/** Holds in a transaction that the project exists and is not being deleted. */
export const projectMustStand = (projectKey: string): Write =>
  named("project", check(keys.project(projectKey), mustStand));

/**
 * Everything that comes with a new project: its name, its roles, the grants of its creator and of a public one. Loses
 * "project" when the key is taken, "project name" when the name is.
 */
export async function newProjectWrites(project: Project, creator: BoundUser): Promise<Write[]> {
  const { projectKey, name, isPublic } = project;
  const { policy, roleId } = await newProjectPolicy(projectKey, isPublic);
  return [
    named("project", create({ ...project, ...keys.project(projectKey), type: "project", ...listing(project) })),
    named("project name", create({ ...keys.projectName(name), type: "project-name", projectKey })),
    create({ ...keys.projectGlobals(projectKey), type: "project-globals", test: [], production: [] }),
    createPolicy(policy),
    bindFirst(creator, { namespace: projectKey, roleIds: [roleId(projectAdminRole)] }),
    ...(isPublic ? [markGroupBound(allUsersGroupId, projectKey, true)] : []),
    count(counterName, 1),
  ];
}

/** Counts a new environment in; fails when the project is gone or going. */
export function environmentJoins(projectKey: string): Write {
  const changes = { add: { environments: 1 } };
  return { name: "project", kind: "update", key: keys.project(projectKey), changes, condition: mustStand };
}

export function environmentLeaves(projectKey: string): Write {
  return {
    kind: "update",
    key: keys.project(projectKey),
    changes: { add: { environments: -1 } },
    condition: mustExist,
  };
}

/** How many definitions of a kind a project has is stored in the project, so that a list reads both at once. */
const definitionTotals = { build: "buildTotal", test: "testTotal", scan: "scanTotal" } as const;
export type DefinitionKind = keyof typeof definitionTotals;

/** Counts a new definition in; fails when the project is gone or going. */
export function definitionJoins(projectKey: string, kind: DefinitionKind): Write {
  const changes = { add: { [definitionTotals[kind]]: 1 } };
  return { kind: "update", key: keys.project(projectKey), changes, condition: mustStand };
}

export function definitionLeaves(projectKey: string, kind: DefinitionKind): Write {
  const changes = { add: { [definitionTotals[kind]]: -1 } };
  return { kind: "update", key: keys.project(projectKey), changes, condition: mustExist };
}

export function definitionTotal(project: Project, kind: DefinitionKind): number {
  return project[definitionTotals[kind]] ?? 0;
}

/** Every project, the one changed last first. */
export async function allProjects(): Promise<ProjectSummary[]> {
  const items = await table().query<{ summary: ProjectSummary }>({
    index: "list",
    pk: lists.projects,
    descending: true,
  });
  return items.map(({ summary }) => summary);
}

export function countProjects(): Promise<number> {
  return readCounter(counterName);
}

/** A page of all projects, the one changed last first, and how many there are. */
export async function pageOfProjects(
  page: number,
  pageSize: number,
): Promise<{ projects: ProjectSummary[]; total: number }> {
  const place = { counter: counterName, list: lists.projects };
  const { summaries: projects, total } = await listedPage<ProjectSummary>(place, page, pageSize, { descending: true });
  return { projects, total };
}

/** The standing ones of the named projects, in the order of the list. */
export async function findProjects(projectKeys: readonly string[]): Promise<Project[]> {
  const projects = await table().getMany<Project & { listSk: string }>(projectKeys.map(keys.project), {
    consistent: false,
  });
  return projects.filter((project) => !project.deleting).sort((a, b) => (a.listSk < b.listSk ? 1 : -1));
}

/** Definitions of global variables. @throws ApiError 404 when the project is missing or being deleted */
export async function findGlobalVariables(projectKey: string): Promise<GlobalVariables> {
  const globals = await table().get<GlobalVariables>(keys.projectGlobals(projectKey));
  if (globals === undefined) throw notFound(`project ${projectKey}`);
  return { test: globals.test, production: globals.production };
}

/** Replaces the definitions of one kind. @throws ConditionFailed when the project changed since it was read */
export async function setGlobalVariables(
  project: Item<Project>,
  kind: ServiceKind,
  variables: readonly ServiceVariable[],
): Promise<void> {
  const changed = { ...project, updatedAt: nowSeconds() };
  await table().write(
    update(
      keys.project(project.projectKey),
      { set: { updatedAt: changed.updatedAt, ...listing(changed) } },
      mustHaveVersion(project.version),
    ),
    update(keys.projectGlobals(project.projectKey), { set: { [kind]: variables } }, mustExist),
  );
}

/** The first step of a deletion: the project vanishes from every answer at once, and what it let anybody do ends. */
export function markProjectDeleting(projectKey: string, how: { deleteObjects: boolean; by: string }): Write[] {
  const now = nowSeconds();
  return [
    update(
      keys.project(projectKey),
      {
        set: {
          deleting: true,
          deleteObjects: how.deleteObjects,
          deletedBy: how.by,
          updatedAt: now,
          duePk: dues.projectDeletions,
          dueSk: `${padded(now)}#${projectKey}`,
        },
        unset: ["listPk", "listSk", "summary"],
      },
      mustStand,
    ),
    remove(keys.projectGlobals(projectKey)),
    remove(keys.projectVerification(projectKey)),
    remove(keys.projectVersionHook(projectKey)),
    ...removeBoundaryWrites(projectKey),
    removeRetention(projectKey),
    removePolicy(projectKey),
    removeCollaborations(projectKey),
    count(counterName, -1),
  ];
}

/** Holds in a transaction that the project is being deleted, or gone: what removes its records never meets a new one. */
export const projectMustBeLeaving = (projectKey: string): Write => check(keys.project(projectKey), mustBeLeaving);

/**
 * The last step of a deletion: key and name are free again.
 * @throws ConditionFailed when the project exists again, or an environment is left that lists do not show yet
 */
export async function removeProject(project: Pick<Project, "projectKey" | "name">): Promise<void> {
  await table().write(
    remove(keys.project(project.projectKey), mustBeEmptyAndLeaving),
    remove(keys.projectName(project.name), mustBelongTo(project.projectKey)),
  );
}

function mustBelongTo(projectKey: string): Condition {
  return mustBeFreeOr(equals("projectKey", projectKey));
}

function listing(project: Project): { listPk: string; listSk: string; summary: ProjectSummary } {
  const { projectKey, name, description, projectType, updatedAt } = project;
  return {
    listPk: lists.projects,
    listSk: `${padded(updatedAt)}#${projectKey}`,
    summary: { projectKey, name, description, projectType },
  };
}
