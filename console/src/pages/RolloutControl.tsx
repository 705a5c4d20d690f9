import { Button } from "@mantine/core";
import { type RolloutAction, rolloutActions } from "@slipway/client";
import { useState } from "react";
import { Action } from "../Decision.tsx";
import { When } from "../parts.tsx";
import { useWords } from "../words.tsx";
import { controlRollout, type Job, type Stage, type Task } from "../workflowQueries.ts";
import { Confirmed } from "./Confirmed.tsx";

/** Of a step of a rollout: who holds it, and what can be said to it by those who may run the workflow. */
export function RolloutControl(props: { task: Task; stage: Stage; job: Job; mayRun: boolean }) {
  const { t } = useWords();
  const { task, stage, job, mayRun } = props;
  const [isAborting, setAborting] = useState(false);
  const say = (action: RolloutAction) => () => controlRollout(task, job.name, action);
  const words: Record<RolloutAction, string> = { pause: t("Hold"), promote: t("Let it go on"), abort: t("Abort") };
  // What waits to be executed is let go on by its stage, and by its executors alone.
  const offered = rolloutActions(task, stage, job).filter((action) => action !== "promote" || job.hold !== undefined);
  if (job.hold === undefined && (!mayRun || offered.length === 0)) return null;
  return (
    <div className="decision">
      {job.hold !== undefined && <Hold hold={job.hold} hasBegun={job.status !== ""} />}
      {mayRun &&
        offered.map((action) =>
          action === "abort" ? (
            <Button
              key={action}
              type="button"
              aria-label={`${words.abort}: ${job.display_name}`}
              onClick={() => setAborting(true)}
            >
              {words.abort}
            </Button>
          ) : (
            <Action key={action} label={words[action]} isMain={action === "promote"} run={say(action)} />
          ),
        )}
      {isAborting && (
        <Confirmed
          name={job.display_name}
          title={t("Abort the rollout of {name}", { name: job.display_name })}
          action={words.abort}
          warning={t("The run is cancelled, and what the rollout has changed so far is taken back.")}
          run={say("abort")}
          onClose={() => setAborting(false)}
        />
      )}
    </div>
  );
}

function Hold({ hold, hasBegun }: { hold: NonNullable<Job["hold"]>; hasBegun: boolean }) {
  const { t, locale } = useWords();
  const until = new Date(hold.hold_until * 1000).toLocaleString(locale);
  const where = {
    "": t("It does its work, and nothing follows."),
    before: t("It has not begun."),
    after: t("Its work is done."),
  };
  return (
    <p>
      {t("Held by")} <When who={hold.held_by} seconds={hold.hold_time} />. {where[hasBegun ? hold.stands : "before"]}{" "}
      {t("Without an answer it ends on {when}, and the rollout is taken back.", { when: until })}
    </p>
  );
}
