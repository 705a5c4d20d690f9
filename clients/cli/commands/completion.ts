import type { Command } from "commander";
import { WrongUsage } from "../endings.ts";
import { print } from "../terminal/print.ts";

const scripts: Readonly<Record<string, string>> = {
  bash: `_slipway() {
  local IFS=$'\\n'
  COMPREPLY=($(compgen -W "$("\${COMP_WORDS[0]}" complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _slipway slipway ./slipway`,
  zsh: `#compdef slipway
_slipway() {
  local -a found
  found=("\${(@f)$("\${words[1]}" complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  compadd -a found
  (( compstate[nmatches] )) || _files
}
compdef _slipway slipway ./slipway`,
  fish: `function __slipway
  set -l words (commandline -opc)
  $words[1] complete -- $words[2..] (commandline -ct) 2>/dev/null
end
complete -c slipway -a '(__slipway)'`,
  powershell: `Register-ArgumentCompleter -Native -CommandName slipway -ScriptBlock {
  param($word, $tree, $position)
  $words = @($tree.CommandElements | Select-Object -Skip 1 | ForEach-Object { "$_" })
  if ($word -eq "") { $words += '""' }
  & "$($tree.CommandElements[0])" complete -- @words 2>$null | Where-Object { $_ -like "$word*" } |
    ForEach-Object { [System.Management.Automation.CompletionResult]::new($_) }
}`,
};

export function completionCommand(program: Command): void {
  program
    .command("completion")
    .description('print what makes a shell complete commands: eval "$(slipway completion bash)"')
    .argument("<shell>", Object.keys(scripts).join(", "))
    .action((shell: string) => {
      const script = scripts[shell];
      if (script === undefined)
        throw new WrongUsage(`there is no completion for ${shell}: choose ${Object.keys(scripts).join(", ")}`);
      print(script);
    });
  program
    .command("complete", { hidden: true })
    .argument("[words...]")
    .allowUnknownOption()
    .action((words: string[]) => print(candidates(program, words).join("\n")));
}

/** What may stand in the place of the last word. */
function candidates(program: Command, words: readonly string[]): string[] {
  const last = words.at(-1) ?? "";
  // PowerShell leaves out an argument that is empty.
  const typed = last === '""' ? "" : last;
  let command = program;
  for (const word of words.slice(0, -1)) command = command.commands.find((one) => one.name() === word) ?? command;
  const options = [...command.options, ...program.options].flatMap(({ long }) => long ?? []);
  const names = command.commands.map((one) => one.name()).filter((name) => name !== "complete");
  return (typed.startsWith("-") ? options : names).filter((name) => name.startsWith(typed));
}
