/** A path inside of the run's folder, without the folder. Agents tell absolute paths; stored patches have relative ones. */
export function relativePath(path: string, workspace: string | undefined): string {
  const folder = workspace?.replace(/\/+$/, "");
  return folder && path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path;
}
