import { maxOutputBytes, maxReportBytes, outputMarks, reportMarks } from "../marks.ts";
import { commitsPath, reasonPath, resultsPath, statePath } from "../paths.ts";

const maxReasonBytes = 300;

/**
 * The main container: says in its termination message what became of the steps, and ends with the exit code of the first
 * that failed. Commits that were checked out go with the outputs. Arguments: the bytes that the message may have; the
 * report directory or an empty text; the names of the outputs. What does not fit into the message is printed to the
 * container's own log, which is part of no log that users see.
 */
export const finish = `
most=$1 reports=$2
shift 2
status=${statePath}/status outputs=${statePath}/outputs packed=${statePath}/report.tar.gz
: > "$status"
: > "$outputs"
size=0
for name in "$@"; do
  file=${resultsPath}/$name
  if [ ! -f "$file" ] || [ ! -s "$file" ]; then continue; fi
  size=$((size + $(wc -c < "$file")))
  if [ "$size" -gt ${maxOutputBytes} ]; then
    : > "$outputs"
    echo '!outputs=too-long' >> "$status"
    break
  fi
  printf '%s=%s\\n' "$name" "$(base64 < "$file" | tr -d '\\n')" >> "$outputs"
done
if [ -e ${commitsPath} ]; then cat ${commitsPath} >> "$outputs"; fi
if [ -n "$reports" ]; then
  set -- "$reports"/*.xml
  if [ ! -e "$1" ]; then
    echo '!report=none' >> "$status"
  elif ! (cd "$reports" && tar -czf "$packed" ./*.xml); then
    echo '!report=unreadable' >> "$status"
  elif [ "$(wc -c < "$packed")" -gt ${maxReportBytes} ]; then
    echo '!report=too-large' >> "$status"
  else
    echo '${reportMarks.begin}'
    base64 < "$packed"
    echo '${reportMarks.end}'
    echo '!report=log' >> "$status"
  fi
fi
code=0
if [ -e ${statePath}/failed ]; then
  read -r step code < ${statePath}/failed
  echo "!failed=$step $code" >> "$status"
  if [ -s ${reasonPath} ]; then echo "!reason=$(head -c ${maxReasonBytes} ${reasonPath} | base64 | tr -d '\\n')" >> "$status"; fi
fi
if [ "$(($(wc -c < "$status") + $(wc -c < "$outputs")))" -gt "$most" ]; then
  echo '${outputMarks.begin}'
  cat "$outputs"
  echo '${outputMarks.end}'
  echo '!outputs=log' >> "$status"
  : > "$outputs"
fi
cat "$status" "$outputs" > /dev/termination-log
exit "$code"
`;
