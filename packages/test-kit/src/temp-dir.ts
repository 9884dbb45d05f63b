import { mkdtemp, readdir, rm, unlink } from 'node:fs/promises'
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
  const close = () => removeFolder(path)
  return { path, join: (...parts) => join(path, ...parts), close, [Symbol.asyncDispose]: close }
}

/**
 * Removes a folder with its content, if it is there.
 *
 * Sockets and pipes go first, by `unlink`. `rm` asks for their type, and after that Node loads modules by the path of a
 * link instead of the file behind it (nodejs/node issue 51142): the next test file of the worker would fail to load.
 */
export async function removeFolder(path: string): Promise<void> {
  const entries = await readdir(path, { recursive: true, withFileTypes: true }).catch(() => [])
  const special = entries.filter((entry) => entry.isSocket() || entry.isFIFO())
  await Promise.all(special.map(({ parentPath, name }) => unlink(join(parentPath, name)).catch(() => undefined)))
  await rm(path, { recursive: true, force: true, maxRetries: 3 })
}
