import { Button, Input } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { Failure } from "../parts.tsx";
import { queries } from "../queries.ts";
import { useWords } from "../words.tsx";

/** Makes something that has a name and is filled in afterwards. @param props.make is given the name without spaces around it */
export function NewByName({ label, make }: { label: string; make(name: string): Promise<unknown> }) {
  const { t } = useWords();
  const [name, setName] = useState("");
  const making = useMutation({
    mutationFn: () => make(name.trim()),
    onSuccess: async () => {
      setName("");
      await queries.invalidateQueries();
    },
  });
  return (
    <form
      className="actions"
      onSubmit={(event) => {
        event.preventDefault();
        making.mutate();
      }}
    >
      <Input
        aria-label={label}
        placeholder={label}
        required
        maxLength={32}
        value={name}
        onChange={({ target }) => setName(target.value)}
      />
      <Button type="submit" disabled={making.isPending}>
        {t("Create")}
      </Button>
      {making.error !== null && <Failure error={making.error} />}
    </form>
  );
}
