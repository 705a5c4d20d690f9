import { NativeSelect } from "@mantine/core";
import { useState } from "react";
import { FollowedLog } from "../FollowedLog.tsx";
import type { Place } from "../queries.ts";
import { useWords } from "../words.tsx";

/** What a pod says, as it says it, for as long as it is shown. */
export function PodLog({ place, pod, containers }: { place: Place; pod: string; containers: string[] }) {
  const { t } = useWords();
  const [container, setContainer] = useState(containers.at(-1) ?? "");
  const query = new URLSearchParams({ projectKey: place.project, envName: place.env, tails: "500" });
  const path = `/openapi/logs/sse/pods/${encodeURIComponent(pod)}/containers/${encodeURIComponent(container)}?${query}`;
  return (
    <FollowedLog name={pod} path={path}>
      <NativeSelect aria-label={t("Container")} value={container} onChange={({ target }) => setContainer(target.value)}>
        {containers.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </NativeSelect>
    </FollowedLog>
  );
}
