/** What a run of the scanner leaves beside the declared outputs: of SonarQube the task and the project. */
export const scanOutputs = ["SonarCETaskID", "SonarProjectKey"] as const;

/**
 * Runs the scanner of the image in the first repository: `SONAR_FOLDER`, below the workspace. `SONAR_PROPERTIES`
 * replace the repository's own `sonar-project.properties`; without them that file counts. Older servers know the token
 * as `sonar.login`.
 */
export const scannerScript = `
if ! command -v sonar-scanner >/dev/null 2>&1; then
  echo "the image of the code scan has no sonar-scanner"
  exit 127
fi
cd "$WORKSPACE/$SONAR_FOLDER" || exit 1
slipway_folder=$(mktemp -d) || exit 1
set -- "-Dsonar.host.url=$SONAR_URL" "-Dsonar.token=$SONAR_TOKEN" "-Dsonar.login=$SONAR_TOKEN" \\
  "-Dsonar.scanner.metadataFilePath=$slipway_folder/report-task.txt"
if [ -n "$SONAR_PROPERTIES" ]; then
  printf '%s\\n' "$SONAR_PROPERTIES" > "$slipway_folder/sonar-project.properties"
  set -- "$@" "-Dproject.settings=$slipway_folder/sonar-project.properties"
fi
sonar-scanner "$@" || exit
slipway_report=$slipway_folder/report-task.txt
if [ ! -f "$slipway_report" ]; then slipway_report=.scannerwork/report-task.txt; fi
if [ -f "$slipway_report" ]; then
  while IFS= read -r slipway_line || [ -n "$slipway_line" ]; do
    case $slipway_line in
      ceTaskId=*) SonarCETaskID=\${slipway_line#*=} ;;
      projectKey=*) SonarProjectKey=\${slipway_line#*=} ;;
    esac
  done < "$slipway_report"
fi
rm -rf "$slipway_folder"
`;
