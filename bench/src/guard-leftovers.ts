import { dirname } from 'node:path'

/** Begin of the name of a run's folder; the id of its process follows. */
export const FOLDER_PREFIX = 'svc-guard-'

/**
 * Finds the folders of runs that ended without removing them.
 *
 * @param worktrees what `git worktree list --porcelain` prints
 */
export function findLeftovers(
  worktrees: string,
  { isRunning }: { readonly isRunning: (pid: number) => boolean },
): readonly string[] {
  return worktrees
    .split('\n')
    .map((line) => /^worktree (.+\/svc-guard-(\d+)-[^/]+\/checkout)$/.exec(line))
    .filter((match) => match !== null)
    .filter(([, , pid]) => !isRunning(Number(pid)))
    .map(([, path = '']) => dirname(path))
}
