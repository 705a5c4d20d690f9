import type { DatabaseSync } from "node:sqlite";
import type { ScheduleDefinition } from "./scheduleDefinition.ts";

/** One schedule as stored; times are Unix milliseconds, `dueMs` is undefined when nothing will happen. */
export type Schedule = {
  name: string;
  definition: ScheduleDefinition;
  createdMs: number;
  modifiedMs: number;
  dueMs: number | undefined;
};

export type ScheduleStore = ReturnType<typeof createScheduleStore>;

/** All schedules are in the group that EventBridge Scheduler has from the beginning. */
const GROUP = "default";
const COLUMNS = "name, definition, created_ms, modified_ms, due_ms";

/** The schedules on disk. */
export function createScheduleStore(database: DatabaseSync) {
  const get = database.prepare(`SELECT ${COLUMNS} FROM schedules WHERE group_name = '${GROUP}' AND name = ?`);
  const put = database.prepare(
    `INSERT OR REPLACE INTO schedules (group_name, ${COLUMNS}) VALUES ('${GROUP}', ?, ?, ?, ?, ?)`,
  );
  const remove = database.prepare(`DELETE FROM schedules WHERE group_name = '${GROUP}' AND name = ?`);
  const setDue = database.prepare(`UPDATE schedules SET due_ms = ? WHERE group_name = '${GROUP}' AND name = ?`);
  const due = database.prepare(
    `SELECT ${COLUMNS} FROM schedules WHERE group_name = '${GROUP}' AND due_ms <= ? ORDER BY due_ms`,
  );
  const soonest = database.prepare(`SELECT min(due_ms) AS due_ms FROM schedules WHERE group_name = '${GROUP}'`);
  const all = database.prepare(`SELECT ${COLUMNS} FROM schedules WHERE group_name = '${GROUP}' ORDER BY name`);

  return {
    get(name: string): Schedule | undefined {
      const row = get.get(name);
      return row && toSchedule(row);
    },
    put({ name, definition, createdMs, modifiedMs, dueMs }: Schedule): void {
      put.run(name, JSON.stringify(definition), createdMs, modifiedMs, dueMs ?? null);
    },
    remove: (name: string): void => void remove.run(name),
    setDue: ({ name }: Schedule, dueMs: number | undefined): void => void setDue.run(dueMs ?? null, name),
    due: (nowMs: number): Schedule[] => due.all(nowMs).map(toSchedule),
    soonest(): number | undefined {
      const dueMs = soonest.get()?.due_ms;
      return typeof dueMs === "number" ? dueMs : undefined;
    },
    all: (): Schedule[] => all.all().map(toSchedule),
  };
}

function toSchedule(row: Record<string, unknown>): Schedule {
  return {
    name: String(row.name),
    definition: JSON.parse(String(row.definition)),
    createdMs: Number(row.created_ms),
    modifiedMs: Number(row.modified_ms),
    dueMs: typeof row.due_ms === "number" ? row.due_ms : undefined,
  };
}
