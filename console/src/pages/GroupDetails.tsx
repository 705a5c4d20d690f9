import { Button, TextInput } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { deleteGroup, describeGroup, groupQuery } from "../groupQueries.ts";
import { Failure, Loaded } from "../parts.tsx";
import { queries } from "../queries.ts";
import { useWords } from "../words.tsx";
import { Confirmed } from "./Confirmed.tsx";
import { GroupMembers } from "./GroupMembers.tsx";
import { GroupRoles } from "./GroupRoles.tsx";

export type Group = { id: string; name: string; description: string; uids: string[] };

/** One group. That of all users can be given roles and nothing else. */
export function GroupDetails({ id }: { id: string }) {
  const { t } = useWords();
  const navigate = useNavigate({ from: "/administration/groups" });
  const [isLeaving, setLeaving] = useState(false);
  return (
    <section className="details" aria-label={t("Group")}>
      <Loaded from={useQuery(groupQuery(id))}>
        {(group) => (
          <>
            <div className="head">
              <h2>{group.name}</h2>
              {group.type === "custom" && (
                <Button type="button" onClick={() => setLeaving(true)}>
                  {t("Delete {name}", { name: group.name })}
                </Button>
              )}
            </div>
            {group.type === "custom" ? (
              <>
                <Words key={`${group.name}/${group.description}`} group={group} />
                <GroupMembers group={group} />
              </>
            ) : (
              <p>{t("Every user is in it, and it cannot be changed.")}</p>
            )}
            <GroupRoles group={group} isEverybody={group.type === "system"} />
            {isLeaving && (
              <Confirmed
                name={group.name}
                title={t("Delete {name}", { name: group.name })}
                action={t("Delete")}
                warning={t("Its members ({count}) lose the roles that they have by it.", { count: group.uids.length })}
                run={() => deleteGroup(id)}
                onDone={() => void navigate({ search: ({ group: _, ...before }) => before })}
                onClose={() => setLeaving(false)}
              />
            )}
          </>
        )}
      </Loaded>
    </section>
  );
}

/** What it is called, and what it is for. */
function Words({ group }: { group: Group }) {
  const { t } = useWords();
  const [name, setName] = useState(group.name);
  const [description, setDescription] = useState(group.description);
  const saving = useMutation({
    mutationFn: () => describeGroup(group.id, name.trim(), description),
    onSuccess: () => queries.invalidateQueries(),
  });
  const isSame = name === group.name && description === group.description;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        saving.mutate();
      }}
    >
      <TextInput
        label={t("Name")}
        required
        maxLength={32}
        value={name}
        onChange={({ target }) => setName(target.value)}
      />
      <TextInput
        label={t("What it is for")}
        maxLength={64}
        value={description}
        onChange={({ target }) => setDescription(target.value)}
      />
      <Button type="submit" disabled={isSame || saving.isPending}>
        {t("Save")}
      </Button>
      {saving.error !== null && <Failure error={saving.error} />}
    </form>
  );
}
