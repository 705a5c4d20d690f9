import { commitsPath, filesPath, reasonPath, variablesPath } from "../paths.ts";

/** Prefix of variables that a commit's text names, so that no author can name one that a shell or a program reads. */
const commitPrefix = "SLIPWAY_COMMIT_";

/** Of the commit, its time, its author and the first line of its message; more is cut off. */
const maxCommitBytes = 400;

/**
 * Clones repositories (contract W 11.3). Everything of theirs comes in variables `REPO_<i>_…`; nothing of it is ever code.
 * Credentials are given to git for the host of their own repository alone, and are in no file of the workspace.
 * What was checked out, before anything is merged onto it, is left for the end of the job and, as variables that have no
 * value yet, for the steps that follow (contract W 11.3, 11.4).
 */
export const cloneRepositories = `
set -euf
umask 0
exec 2>&1
export GIT_TERMINAL_PROMPT=0 GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null GIT_ALLOW_PROTOCOL=http:https:ssh
export GIT_AUTHOR_NAME=slipway GIT_AUTHOR_EMAIL=slipway@localhost
export GIT_COMMITTER_NAME=slipway GIT_COMMITTER_EMAIL=slipway@localhost
KNOWN_HOSTS=$(mktemp)

sign_in() {
  export GIT_CONFIG_COUNT=3
  export GIT_CONFIG_KEY_0=credential.helper GIT_CONFIG_VALUE_0=
  export GIT_CONFIG_KEY_1=advice.detachedHead GIT_CONFIG_VALUE_1=false
  export GIT_CONFIG_KEY_2=safe.directory GIT_CONFIG_VALUE_2='*'
  export USERNAME PASSWORD
  case $ACCESS in
    password)
      export GIT_CONFIG_COUNT=4 GIT_CONFIG_KEY_3="credential.$ORIGIN.helper"
      export GIT_CONFIG_VALUE_3='!f() { if [ "$1" = get ]; then printf "username=%s\\npassword=%s\\n" "$USERNAME" "$PASSWORD"; fi; }; f'
      ;;
    ssh)
      export GIT_SSH_COMMAND="ssh -i ${filesPath}/ssh-$i -o IdentitiesOnly=yes -o BatchMode=yes -o StrictHostKeyChecking=accept-new -o UserKnownHostsFile=$KNOWN_HOSTS"
      ;;
  esac
  if [ "$NO_VERIFY" = true ]; then export GIT_SSL_NO_VERIFY=true; fi
}

merge() {
  if git merge --quiet --no-edit "$1"; then echo "merged $2"; return 0; fi
  echo "$2 cannot be merged" > ${reasonPath}
  echo "$2 cannot be merged; in conflict:"
  git diff --name-only --diff-filter=U
  return 1
}

define() {
  printf '%s\\n' "$2" > "${variablesPath}/$1"
}

tell_commit() {
  told=$(git --no-pager log -1 --format='%H %ct%n%an%n%s' | head -c ${maxCommitBytes} | base64 | tr -d '\\n')
  echo "@$i=$told" >> ${commitsPath}
  mkdir -p ${variablesPath}
  if [ -n "$COMMIT_VARIABLE" ]; then define "$COMMIT_VARIABLE" "$(git rev-parse HEAD)"; fi
  git --no-pager log -1 --format=%B | grep -o '#[A-Za-z_][A-Za-z0-9_]\\{0,63\\}=[^#]*#' | while IFS= read -r found; do
    found=\${found#?}
    value=\${found#*=}
    define "${commitPrefix}\${found%%=*}" "\${value%?}"
  done
}

head_of() {
  git fetch --quiet $depth "$REMOTE" "+refs/$PULL_REFS/$1/head:refs/remotes/$REMOTE/pr/$1"
}

clone() {
  echo "cloning $ADDRESS into $FOLDER"
  mkdir -p "$FOLDER"
  cd "$FOLDER"
  git init --quiet .
  git remote remove "$REMOTE" 2>/dev/null || true
  git remote add "$REMOTE" "$ADDRESS"
  depth=--depth=50
  if [ -n "$MERGES$PULLS" ]; then depth=; fi
  set -- $PULLS
  if [ -n "$TAG" ]; then
    git fetch --quiet $depth "$REMOTE" "+refs/tags/$TAG:refs/tags/$TAG"
    git checkout --quiet --force --detach "refs/tags/$TAG"
  elif [ -n "$COMMIT" ]; then
    git fetch --quiet $depth "$REMOTE" "$COMMIT" || git fetch --quiet "$REMOTE" "+refs/heads/*:refs/remotes/$REMOTE/*"
    git checkout --quiet --force --detach "$COMMIT"
  elif [ -n "$BRANCH" ]; then
    git fetch --quiet $depth "$REMOTE" "+refs/heads/$BRANCH:refs/remotes/$REMOTE/$BRANCH"
    git checkout --quiet --force -B "$BRANCH" "refs/remotes/$REMOTE/$BRANCH"
  else
    head_of "$1"
    git checkout --quiet --force --detach "refs/remotes/$REMOTE/pr/$1"
    shift
  fi
  tell_commit
  for branch in $MERGES; do
    git fetch --quiet "$REMOTE" "+refs/heads/$branch:refs/remotes/$REMOTE/$branch"
    merge "refs/remotes/$REMOTE/$branch" "branch $branch"
  done
  for number in "$@"; do
    head_of "$number"
    merge "refs/remotes/$REMOTE/pr/$number" "pull request $number"
  done
  if [ "$SUBMODULES" = true ]; then git submodule update --quiet --init --recursive; fi
  git --no-pager log -1 --format='at %H %s'
}

i=0
while [ "$i" -lt "$REPO_COUNT" ]; do
  for field in ADDRESS ORIGIN ACCESS USERNAME PASSWORD FOLDER REMOTE TAG COMMIT BRANCH MERGES PULLS PULL_REFS SUBMODULES NO_VERIFY COMMIT_VARIABLE; do
    eval "$field=\\\${REPO_\${i}_$field-}"
  done
  echo "$ADDRESS could not be cloned; the log says why" > ${reasonPath}
  (sign_in; clone)
  rm -f ${reasonPath}
  i=$((i + 1))
done
`;
