/** The times that a cron expression of five fields names; every list is sorted and holds each number once. */
export interface CronTimes {
  minutes: readonly number[];
  hours: readonly number[];
  daysOfMonth: readonly number[];
  /** From 1, January. */
  months: readonly number[];
  /** From 0, Sunday, to 6. */
  daysOfWeek: readonly number[];
}

interface Field {
  name: string;
  least: number;
  most: number;
  /** Names of the numbers from `least` on. */
  names?: readonly string[];
  /** What is right, as users read it. */
  right: string;
}

const monthNames = ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"];
const dayNames = ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"];
const longestMonths = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

const fields = [
  { name: "minute", least: 0, most: 59, right: "0 to 59" },
  { name: "hour", least: 0, most: 23, right: "0 to 23" },
  { name: "day of month", least: 1, most: 31, right: "1 to 31" },
  { name: "month", least: 1, most: 12, names: monthNames, right: "1 to 12 or JAN to DEC" },
  { name: "day of week", least: 0, most: 7, names: dayNames, right: "0 to 7 or SUN to SAT, where 0 and 7 are Sunday" },
] as const satisfies readonly Field[];

/**
 * Reads a cron expression as Kubernetes and Unix write it: minute, hour, day of month, month, day of week, each a `*`, or
 * numbers, ranges `a-b` and steps `/n` joined by commas.
 * @returns the problem as users read it, naming the field and what would be right
 */
export function parseCron(text: string): CronTimes | string {
  const parts = text.trim().split(/\s+/);
  if (parts.length !== fields.length)
    return `must have five fields, minute hour day-of-month month day-of-week, such as "0 20 * * 1-5"; it has ${text.trim() === "" ? 0 : parts.length}`;
  const read = fields.map((field, position) => readField(parts[position] ?? "", field));
  const problems = read.filter((values) => typeof values === "string");
  if (problems.length > 0) return problems.join("; ");
  const [minutes = [], hours = [], daysOfMonth = [], months = [], weekdays = []] = read.filter(Array.isArray);
  const daysOfWeek = sorted(weekdays.map((day) => day % 7));
  const times = { minutes, hours, daysOfMonth, months, daysOfWeek };
  return impossible(times) ?? times;
}

function impossible({ daysOfMonth, months, daysOfWeek }: CronTimes): string | undefined {
  if (daysOfMonth.length < 31 && daysOfWeek.length < 7)
    return "sets day of month and day of week; a schedule has one kind of day, so set one of the two to *";
  const [first = 1] = daysOfMonth;
  if (months.some((month) => first <= (longestMonths[month - 1] ?? 31))) return undefined;
  return `never comes: no month that it names has a day ${first}; change the day of month or the month`;
}

function readField(text: string, field: Field): number[] | string {
  const values: number[] = [];
  for (const item of text.split(",")) {
    const found = readItem(item, field);
    if (found === undefined)
      return `${field.name} "${text}" is wrong: use ${field.right}, *, a range a-b, or a step */n`;
    values.push(...found);
  }
  return sorted(values);
}

const itemForm = /^(?:(\*|\?)|([0-9]{1,2}|[A-Za-z]{3})(?:-([0-9]{1,2}|[A-Za-z]{3}))?)(?:\/([0-9]{1,2}))?$/;

function readItem(item: string, field: Field): number[] | undefined {
  const [matched, any, from, to, every] = itemForm.exec(item) ?? [];
  if (matched === undefined || (any === "?" && !field.name.startsWith("day"))) return undefined;
  const step = every === undefined ? 1 : Number(every);
  // All days of the week are seven, though Sunday has two numbers.
  const last = field.names === dayNames ? 6 : field.most;
  const first = any === undefined ? numberOf(from, field) : field.least;
  const open = any !== undefined || (to === undefined && every !== undefined);
  const end = open ? last : to === undefined ? first : numberOf(to, field);
  if (first === undefined || end === undefined || first > end || step === 0) return undefined;
  return Array.from({ length: Math.floor((end - first) / step) + 1 }, (_, at) => first + at * step);
}

function numberOf(text: string | undefined, { least, most, names }: Field): number | undefined {
  const named = names?.indexOf((text ?? "").toUpperCase()) ?? -1;
  const number = named >= 0 ? least + named : Number(text);
  return Number.isInteger(number) && number >= least && number <= most ? number : undefined;
}

function sorted(values: readonly number[]): number[] {
  return [...new Set(values)].sort((a, b) => a - b);
}
