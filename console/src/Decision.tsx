import { Button, Input } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useId, useState } from "react";
import { note } from "./notices.ts";
import { Failure, Status } from "./parts.tsx";
import { queries } from "./queries.ts";
import { useSession } from "./session.ts";
import { useWords } from "./words.tsx";
import type { Approval } from "./workflowQueries.ts";

/** Who has to say something, and for those who have not yet, the two ways to say it. */
export function Decision({
  approval,
  isOpen = true,
  say,
}: {
  approval: Approval["native_approval"];
  /** Whether it is asked about now. */
  isOpen?: boolean;
  say(approve: boolean, comment: string): Promise<unknown>;
}) {
  const { t } = useWords();
  const session = useSession();
  const id = useId();
  const [comment, setComment] = useState("");
  const users = approval?.approve_users ?? [];
  const isAsked =
    isOpen &&
    users.some(({ user_id, reject_or_approve }) => user_id === session?.uid && (reject_or_approve ?? "") === "");
  return (
    <div className="decision">
      <p>
        {t(isOpen ? "Waits for {count} of these to approve:" : "{count} of these have to approve:", {
          count: approval?.needed_approvers ?? 0,
        })}
      </p>
      <ul>
        {users.map(({ user_id, user_name, group_id, group_name, reject_or_approve, comment: said }) => (
          <li key={`${user_id}/${group_id}`}>
            {user_name || group_name} {reject_or_approve && <Status status={reject_or_approve} />} {said}
          </li>
        ))}
      </ul>
      {isAsked && (
        <>
          <label htmlFor={id}>{t("Comment")}</label>
          <Input id={id} value={comment} maxLength={4096} onChange={({ target }) => setComment(target.value)} />
          <Action label={t("Approve")} isMain run={() => say(true, comment)} />
          <Action label={t("Reject")} run={() => say(false, comment)} />
        </>
      )}
    </div>
  );
}

/** A button that does something and shows what came of it. */
export function Action({ label, run, isMain = false }: { label: string; run(): Promise<unknown>; isMain?: boolean }) {
  const { t } = useWords();
  const doing = useMutation({
    mutationFn: run,
    onSuccess: async () => {
      note(t("Done: {what}", { what: label }));
      await queries.invalidateQueries();
    },
  });
  return (
    <>
      <Button
        type="button"
        variant={isMain ? "filled" : "default"}
        disabled={doing.isPending}
        onClick={() => doing.mutate()}
      >
        {label}
      </Button>
      {doing.error !== null && <Failure error={doing.error} />}
    </>
  );
}
