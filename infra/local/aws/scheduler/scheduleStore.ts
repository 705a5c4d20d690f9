import type { DatabaseSync } from "node:sqlite";
import { AwsError } from "../awsError.ts";
import { transaction } from "../database.ts";
import type { ScheduleDefinition } from "./scheduleDefinition.ts";

/** One schedule as stored; times are Unix milliseconds, `dueMs` is undefined when nothing will happen. */
export type Schedule = {
  group: string;
  name: string;
  definition: ScheduleDefinition;
  createdMs: number;
  modifiedMs: number;
  dueMs: number | undefined;
};

export type ScheduleGroup = { name: string; createdMs: number };
export type ScheduleStore = ReturnType<typeof createScheduleStore>;

const COLUMNS = "group_name, name, definition, created_ms, modified_ms, due_ms";

/** Schedules and their groups on disk; the group `default` is always there. */
export function createScheduleStore(database: DatabaseSync) {
  database.prepare("INSERT OR IGNORE INTO schedule_groups VALUES ('default', ?)").run(Date.now());
  const get = database.prepare(`SELECT ${COLUMNS} FROM schedules WHERE group_name = ? AND name = ?`);
  const put = database.prepare(`INSERT OR REPLACE INTO schedules (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?)`);
  const remove = database.prepare("DELETE FROM schedules WHERE group_name = ? AND name = ?");
  const setDue = database.prepare("UPDATE schedules SET due_ms = ? WHERE group_name = ? AND name = ?");
  const due = database.prepare(`SELECT ${COLUMNS} FROM schedules WHERE due_ms <= ? ORDER BY due_ms`);
  const soonest = database.prepare("SELECT min(due_ms) AS due_ms FROM schedules");
  const all = database.prepare(`SELECT ${COLUMNS} FROM schedules ORDER BY group_name, name`);
  const getGroup = database.prepare("SELECT name, created_ms FROM schedule_groups WHERE name = ?");
  const allGroups = database.prepare("SELECT name, created_ms FROM schedule_groups ORDER BY name");
  const addGroup = database.prepare("INSERT INTO schedule_groups VALUES (?, ?)");

  return {
    /** @throws AwsError ResourceNotFoundException (404), as do the other lookups */
    get(group: string, name: string): Schedule {
      const row = get.get(group, name);
      if (!row) throw new AwsError("ResourceNotFoundException", `Schedule ${name} does not exist.`, 404);
      return toSchedule(row);
    },
    has: (group: string, name: string): boolean => get.get(group, name) !== undefined,
    put({ group, name, definition, createdMs, modifiedMs, dueMs }: Schedule): void {
      put.run(group, name, JSON.stringify(definition), createdMs, modifiedMs, dueMs ?? null);
    },
    remove: (group: string, name: string): void => void remove.run(group, name),
    setDue: ({ group, name }: Schedule, dueMs: number | undefined): void => void setDue.run(dueMs ?? null, group, name),
    due: (nowMs: number): Schedule[] => due.all(nowMs).map(toSchedule),
    soonest(): number | undefined {
      const dueMs = soonest.get()?.due_ms;
      return typeof dueMs === "number" ? dueMs : undefined;
    },
    all: (): Schedule[] => all.all().map(toSchedule),
    group(name: string): ScheduleGroup {
      const row = getGroup.get(name);
      if (!row) throw new AwsError("ResourceNotFoundException", `Schedule group ${name} does not exist.`, 404);
      return toGroup(row);
    },
    hasGroup: (name: string): boolean => getGroup.get(name) !== undefined,
    groups: (): ScheduleGroup[] => allGroups.all().map(toGroup),
    addGroup: (name: string): void => void addGroup.run(name, Date.now()),
    /** With all of its schedules. */
    removeGroup(name: string): void {
      transaction(database, () => {
        database.prepare("DELETE FROM schedules WHERE group_name = ?").run(name);
        database.prepare("DELETE FROM schedule_groups WHERE name = ?").run(name);
      });
    },
  };
}

function toSchedule(row: Record<string, unknown>): Schedule {
  return {
    group: String(row.group_name),
    name: String(row.name),
    definition: JSON.parse(String(row.definition)),
    createdMs: Number(row.created_ms),
    modifiedMs: Number(row.modified_ms),
    dueMs: typeof row.due_ms === "number" ? row.due_ms : undefined,
  };
}

function toGroup(row: Record<string, unknown>): ScheduleGroup {
  return { name: String(row.name), createdMs: Number(row.created_ms) };
}
