import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A folder of one's own. */
export interface TempDir extends AsyncDisposable {
  readonly path: string
  /** A path inside it. */
  join(...parts: string[]): string
  /** Removes it with all that is in it. */
  close(): Promise<void>
}

/**
 * A new empty folder, removed at the end of the scope.
 *
 * @param prefix start of the folder's name, for whoever finds it @default 'svc-test-'
 * @example
 * await using dir = await tempDir()
 */
export async function tempDir(prefix = 'svc-test-'): Promise<TempDir> {
  const path = await mkdtemp(join(tmpdir(), prefix))
  const close = () => rm(path, { recursive: true, force: true, maxRetries: 3 })
  return { path, join: (...parts) => join(path, ...parts), close, [Symbol.asyncDispose]: close }
}
