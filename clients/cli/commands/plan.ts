import { type components, everyPage, taken } from "@slipway/client";
import type { Command } from "commander";
import { WrongUsage } from "../endings.ts";
import { type Session, sessionOf } from "../session.ts";
import { print, printJson } from "../terminal/print.ts";
import { shownStatus, table } from "../terminal/words.ts";

type Plan = components["schemas"]["ReleasePlan"];

const steps = ["planning", "finish_planning", "wait_for_approval", "executing", "success", "cancel"] as const;

export function planCommand(program: Command): void {
  const plan = program.command("plan").description("see release plans, and move them on");
  plan
    .command("list", { isDefault: true })
    .description("list release plans, the newest first")
    .action(async (_: object, command: Command) => list(sessionOf(command)));
  plan
    .command("show")
    .description("show a plan, its jobs and its log")
    .argument("<id>", "its id, or its number as `slipway plan` shows it")
    .action(async (id: string, _: object, command: Command) => {
      const session = sessionOf(command);
      await show(session, await planOf(session, id));
    });
  plan
    .command("move")
    .description(`move a plan on: ${steps.join(", ")}`)
    .argument("<id>")
    .argument("<status>")
    .action(async (id: string, status: string, _: object, command: Command) => {
      const session = sessionOf(command);
      const path = { id: (await planOf(session, id)).id, status: stepNamed(status) };
      await session.slipway.POST("/openapi/release_plan/v1/{id}/status/{status}", { params: { path } });
      await show(session, await planOf(session, id));
    });
  plan
    .command("approve")
    .description("say yes to a plan that waits for you, or no")
    .argument("<id>")
    .option("--reject", "say no", false)
    .option("--comment <text>", "why", "")
    .action(async (id: string, { reject, comment }: { reject: boolean; comment: string }, command: Command) => {
      const session = sessionOf(command);
      const params = { path: { id: (await planOf(session, id)).id } };
      const body = { approve: !reject, comment };
      await session.slipway.POST("/openapi/release_plan/v1/{id}/approve", { params, body });
      await show(session, await planOf(session, id));
    });
  plan
    .command("execute")
    .description("run a job of a plan")
    .argument("<id>")
    .argument("<job>", "name of the job")
    .option("--remark <text>", "what was done, of a job that is a text", "")
    .action(async (id: string, job: string, { remark }: { remark: string }, command: Command) => {
      const session = sessionOf(command);
      const found = await planOf(session, id);
      const jobs = found.jobs ?? [];
      const one = jobs.find(({ name }) => name === job);
      if (one === undefined)
        throw new WrongUsage(`plan ${id} has no job ${job}; it has ${jobs.map(({ name }) => name).join(", ")}`);
      const body =
        one.type === "text"
          ? { id: one.id, type: "text" as const, spec: { remark } }
          : { id: one.id, type: "workflow" as const };
      await session.slipway.POST("/openapi/release_plan/v1/{id}/execute", { params: { path: { id: found.id } }, body });
      await show(session, await planOf(session, id));
    });
}

function stepNamed(status: string): (typeof steps)[number] {
  const step = steps.find((one) => one === status);
  if (step === undefined) throw new WrongUsage(`a plan cannot be moved to ${status}: choose ${steps.join(", ")}`);
  return step;
}

async function list(session: Session): Promise<void> {
  const plans = await readPlans(session);
  if (session.isJson) return printJson(plans);
  if (plans.length === 0) return print("There is no release plan yet.");
  const rows = plans.map((one) => [`${one.index}`, shownStatus(one.status), one.name, one.manager, one.id]);
  print(table(["NUMBER", "STATUS", "NAME", "MANAGER", "ID"], rows));
}

async function readPlans({ slipway }: Session) {
  const plans = [];
  for await (const plan of everyPage(
    async (query) => (await taken(slipway.GET("/openapi/release_plan/v1", { params: { query } }))).list,
  ))
    plans.push(plan);
  return plans;
}

async function planOf(session: Session, named: string): Promise<Plan> {
  const id = /^\d{1,9}$/.test(named)
    ? (await readPlans(session)).find(({ index }) => index === Number(named))?.id
    : named;
  if (id === undefined) throw new WrongUsage(`there is no release plan number ${named}; \`slipway plan\` lists them`);
  return taken(session.slipway.GET("/openapi/release_plan/v1/{id}", { params: { path: { id } } }));
}

async function show(session: Session, plan: Plan): Promise<void> {
  if (session.isJson) return printJson(plan);
  const log = await taken(
    session.slipway.GET("/openapi/release_plan/v1/{id}/logs", { params: { path: { id: plan.id } } }),
  );
  const rows = (plan.jobs ?? []).map(({ name, type, status }) => [`  ${name}`, type, shownStatus(status)]);
  const jobs = rows.length === 0 ? [] : [table(["  JOB", "TYPE", "STATUS"], rows)];
  const said = log.list.map(
    (one) => `  ${new Date(one.created_at * 1000).toISOString()}  ${one.username}: ${one.detail}`,
  );
  print([`${plan.index} ${plan.name}  ${shownStatus(plan.status)}`, ...jobs, ...said].join("\n"));
}
