import { statePath } from "../paths.ts";

const send = `
send() {
  if ! command -v curl >/dev/null 2>&1; then echo "files cannot be sent: there is no curl"; return 1; fi
  curl --silent --show-error --fail --retry 3 --max-time 1800 --output /dev/null --upload-file "$1" "$2"
}
`;

/** Sends files to addresses signed for them: `UPLOAD_<i>_PATH`, `_URL` and `_REQUIRED`. */
export const uploadFiles = `
set -u
exec 2>&1
${send}
one() {
  if [ -d "$from" ]; then
    tar -czf "$packed" -C "$from/.." -- "\${from##*/}" || return
    send "$packed" "$to" || return
    rm -f "$packed"
  elif [ -f "$from" ]; then
    send "$from" "$to" || return
  else
    echo "$from does not exist"
    [ "$required" != true ]
    return
  fi
  echo "archived $from"
}
code=0 i=0 packed=${statePath}/upload.tar.gz
while [ "$i" -lt "$UPLOAD_COUNT" ]; do
  eval "from=\\$UPLOAD_\${i}_PATH to=\\$UPLOAD_\${i}_URL required=\\$UPLOAD_\${i}_REQUIRED"
  one || code=1
  i=$((i + 1))
done
exit "$code"
`;

/** Brings the cache of the run before back, if there is one: `CACHE_DIRECTORY`, `CACHE_URL`. Never fails a job. */
export const restoreCache = `
exec 2>&1
packed=${statePath}/cache.tar.gz
if ! curl --silent --show-error --fail --retry 3 --max-time 1800 --output "$packed" "$CACHE_URL"; then
  echo "no cache was restored"
elif tar -xzf "$packed" -C "$CACHE_DIRECTORY"; then
  echo "restored the cache of $CACHE_DIRECTORY"
else
  echo "the cache could not be unpacked"
fi
rm -f "$packed"
exit 0
`;

/** Keeps the cache for the next run: `CACHE_DIRECTORY`, `CACHE_URL`. Never fails a job. */
export const saveCache = `
exec 2>&1
${send}
packed=${statePath}/cache.tar.gz
if tar -czf "$packed" -C "$CACHE_DIRECTORY" . && send "$packed" "$CACHE_URL"; then
  echo "kept the cache of $CACHE_DIRECTORY"
else
  echo "the cache could not be kept"
fi
rm -f "$packed"
exit 0
`;
