import { createClosers } from '../platform/closers.ts'
import { openPlatform, type PlatformOptions } from '../platform/open-platform.ts'
import type { Platform } from '../platform/platform.ts'

/**
 * Opens the folders and the database of a server that does not run, without listening, and closes them after the work.
 * Nothing of the server starts by itself.
 *
 * @throws {StartRefused} where a server runs on the same data; what the work throws
 */
export async function runWithoutApi<T>(options: PlatformOptions, work: (platform: Platform) => Promise<T>): Promise<T> {
  const closers = createClosers()
  try {
    const facts = { listens: false, routes: () => [], unready: () => undefined, ownPort: () => undefined }
    const platform = await openPlatform(options, facts, closers)
    await platform.loadParser()
    return await work(platform)
  } finally {
    await closers.closeAll()
  }
}
