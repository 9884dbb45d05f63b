import { stat } from 'node:fs/promises'
import { createModelHost, type ModelHost as HostOf, type Log } from '@svc/backend-kit'
import { type EngineModel, loadModel } from './engine/model.ts'
import type { Runtime } from './engine/runtime.ts'
import { findIgnored, toModelSettings } from './handlers/load-settings.ts'

/** The one model of this process. */
export type ModelHost = HostOf<EngineModel>

/** Creates a process without a model; loading waits for the engine. */
export function createLlamaHost({
  runtime,
  log,
}: {
  readonly runtime: Promise<Runtime>
  readonly log: Log
}): ModelHost {
  return createModelHost(async (request) => {
    const settings = toModelSettings(request)
    const ignored = findIgnored(request)
    if (ignored.length > 0) log.warn(`not supported, ignored: ${ignored.join(', ')}`)
    const files = [settings.file, ...settings.loras.map(({ filePath }) => filePath)]
    return {
      key: { settings, files: await Promise.all(files.map(describeFile)) },
      open: async ({ signal }) => await loadModel(await runtime, settings, { signal, log }),
    }
  })
}

/** Size, time and inode number of a file; empty for a missing file. */
async function describeFile(path: string): Promise<readonly number[]> {
  try {
    const { size, mtimeMs, ino } = await stat(path)
    return [size, mtimeMs, ino]
  } catch {
    // Loading reports the fault of the file.
    return []
  }
}
