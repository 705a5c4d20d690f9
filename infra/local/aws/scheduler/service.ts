import * as z from "zod";
import { arns } from "../arns.ts";
import { AwsError } from "../awsError.ts";
import { page, pageStart } from "../page.ts";
import { restJsonError } from "../restJsonError.ts";
import { type AwsRequest, type AwsService, parseInput, parseJson, readBody } from "../service.ts";
import { scheduleDefinition } from "./scheduleDefinition.ts";
import type { Scheduler } from "./scheduler.ts";
import type { Schedule, ScheduleGroup, ScheduleStore } from "./scheduleStore.ts";

const BODY_LIMIT_BYTES = 1024 * 1024;
const MOST_PER_PAGE = 100;

const nameInput = z.string().regex(/^[0-9a-zA-Z_.-]{1,64}$/, "1 to 64 letters, digits, or - _ .");
const groupInput = z.object({ GroupName: nameInput.default("default") });

/** EventBridge Scheduler (client-scheduler, REST JSON): schedules and schedule groups. */
export function schedulerService(store: ScheduleStore, scheduler: Scheduler): AwsService {
  return {
    async handle(request) {
      const [, resource, name] = /^\/(schedules|schedule-groups)(?:\/([^/]*))?\/?$/.exec(request.path) ?? [];
      const operations = resource === "schedules" ? scheduleOperations(store, scheduler) : groupOperations(store);
      const operation = operations[name === undefined ? `${request.method} all` : request.method];
      if (!resource || !operation) throw new AwsError("UnknownOperationException", "there is no such operation", 404);
      const answer = await operation(
        request,
        name === undefined ? "" : parseInput(nameInput, decodeURIComponent(name)),
      );
      return { status: 200, headers: { "content-type": "application/json" }, body: JSON.stringify(answer ?? {}) };
    },
    renderError: restJsonError,
  };
}

type Operations = Record<string, (request: AwsRequest, name: string) => unknown>;

function scheduleOperations(store: ScheduleStore, scheduler: Scheduler): Operations {
  const read = async (request: AwsRequest) => {
    const body = parseJson((await readBody(request, BODY_LIMIT_BYTES)).toString("utf8"));
    const { GroupName } = parseInput(groupInput, body);
    store.group(GroupName);
    return { group: GroupName, definition: parseInput(scheduleDefinition, body) };
  };
  const groupOf = ({ query }: AwsRequest) => query.get("groupName") ?? "default";
  return {
    async POST(request, name) {
      const { group, definition } = await read(request);
      if (store.has(group, name)) throw new AwsError("ConflictException", `Schedule ${name} already exists.`, 409);
      scheduler.put(group, name, definition);
      return { ScheduleArn: arns.schedule(group, name) };
    },
    async PUT(request, name) {
      const { group, definition } = await read(request);
      store.get(group, name);
      scheduler.put(group, name, definition);
      return { ScheduleArn: arns.schedule(group, name) };
    },
    GET: (request, name) => full(store.get(groupOf(request), name)),
    DELETE(request, name) {
      const { group } = store.get(groupOf(request), name);
      store.remove(group, name);
    },
    "GET all"({ query }) {
      const group = query.get("ScheduleGroup");
      const state = query.get("State");
      const found = store.all().filter((schedule) => {
        const isOfGroup = group === null || schedule.group === group;
        const isInState = state === null || schedule.definition.State === state;
        return isOfGroup && isInState && schedule.name.startsWith(query.get("NamePrefix") ?? "");
      });
      const { items, next } = paged(found, query);
      return { Schedules: items.map(summary), NextToken: next };
    },
  };
}

function groupOperations(store: ScheduleStore): Operations {
  return {
    POST(_request, name) {
      if (store.hasGroup(name)) throw new AwsError("ConflictException", `Schedule group ${name} already exists.`, 409);
      store.addGroup(name);
      return { ScheduleGroupArn: arns.scheduleGroup(name) };
    },
    GET: (_request, name) => groupSummary(store.group(name)),
    DELETE(_request, name) {
      if (name === "default") throw new AwsError("ValidationException", "The default group cannot be deleted.");
      store.removeGroup(store.group(name).name);
    },
    "GET all"({ query }) {
      const found = store.groups().filter(({ name }) => name.startsWith(query.get("NamePrefix") ?? ""));
      const { items, next } = paged(found, query);
      return { ScheduleGroups: items.map(groupSummary), NextToken: next };
    },
  };
}

function paged<T>(all: T[], query: URLSearchParams) {
  const start = pageStart(query.get("NextToken") ?? undefined, "ValidationException");
  const size = parseInput(z.coerce.number().int().min(1).max(MOST_PER_PAGE), query.get("MaxResults") ?? MOST_PER_PAGE);
  return page(all.slice(start, start + size + 1), start, size);
}

function summary({ group, name, definition, createdMs, modifiedMs }: Schedule) {
  return {
    Arn: arns.schedule(group, name),
    Name: name,
    GroupName: group,
    State: definition.State,
    CreationDate: createdMs / 1000,
    LastModificationDate: modifiedMs / 1000,
    Target: { Arn: definition.Target.Arn },
  };
}

function full(schedule: Schedule) {
  return { ...summary(schedule), ...schedule.definition };
}

function groupSummary({ name, createdMs }: ScheduleGroup) {
  return { Arn: arns.scheduleGroup(name), Name: name, State: "ACTIVE", CreationDate: createdMs / 1000 };
}
