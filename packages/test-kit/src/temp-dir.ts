import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A temporary folder. */
export interface TempDir extends AsyncDisposable {
  readonly path: string
  /** A path inside it. */
  join(...parts: string[]): string
  /** Removes it with its content. */
  close(): Promise<void>
}

/**
 * Creates a new empty folder, removed at the end of the scope.
 *
 * @param prefix start of the folder's name, to recognise it @default 'svc-test-'
 * @example
 * await using dir = await tempDir()
 */
export async function tempDir(prefix = 'svc-test-'): Promise<TempDir> {
  const path = await mkdtemp(join(tmpdir(), prefix))
  const close = () => rm(path, { recursive: true, force: true, maxRetries: 3 })
  return { path, join: (...parts) => join(path, ...parts), close, [Symbol.asyncDispose]: close }
}
