import * as z from "zod";
import { filled, projectKey, unixSeconds } from "../../../../shared/http/schemas.ts";

const maxPlaces = 50;
/** The end of the year 9999: what is later was meant in milliseconds. */
const lastSecond = 253_402_300_799;

const time = z
  .int("must be a whole number of Unix seconds")
  .min(0, "must be Unix seconds, 0 or more")
  .max(lastSecond, "must be Unix seconds, not milliseconds");

const environment = z.object({ project_key: projectKey, env_name: filled("env_name", 64) });

const places = {
  projects: z.array(projectKey).max(maxPlaces, `must name at most ${maxPlaces} projects`),
  environments: z.array(environment).max(maxPlaces, `must name at most ${maxPlaces} environments`),
};

/** Which times go together the use-case says. */
export const sentFreeze = z.object({
  name: filled("name", 256),
  reason: filled("reason", 1024),
  projects: places.projects
    .default([])
    .meta({ description: "Keys of projects; without environments either, the freeze holds for all production" }),
  environments: places.environments.default([]).meta({ description: "Production environments" }),
  start_time: time.optional().meta({ description: "Unix seconds; with end_time, for a freeze that holds once" }),
  end_time: time.optional(),
  cron: z
    .string("must be a text")
    .max(256, "must have at most 256 characters")
    .optional()
    .meta({ description: "Five fields; with time_zone and duration_minutes, for a freeze that comes again" }),
  time_zone: z.string("must be a text").max(64, "must have at most 64 characters").optional(),
  duration_minutes: z.int("must be a whole number of minutes").optional(),
});

const window = z.object({ start_time: unixSeconds, end_time: unixSeconds });

export const shownFreeze = z
  .object({
    id: z.string(),
    name: z.string(),
    reason: z.string(),
    projects: z.array(z.string()),
    environments: z.array(z.object({ project_key: z.string(), env_name: z.string() })),
    start_time: unixSeconds.optional(),
    end_time: unixSeconds.optional(),
    cron: z.string().optional(),
    time_zone: z.string().optional(),
    duration_minutes: z.int().optional(),
    holds: z.boolean().meta({ description: "Whether it holds now" }),
    holds_until: unixSeconds.optional().meta({ description: "Only while it holds" }),
    next: window.optional().meta({ description: "When it holds next; left out when it never does again" }),
    created_by: z.string(),
    create_time: unixSeconds,
    updated_by: z.string(),
    update_time: unixSeconds,
  })
  .meta({ id: "ReleaseFreeze" });
