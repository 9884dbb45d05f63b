import { stat } from 'node:fs/promises'
import { createModelHost, type ModelHost as HostOf, type Log } from '@svc/backend-kit'
import { type EngineModel, loadModel } from './engine/model.ts'
import { findModelFolder } from './engine/model-files.ts'
import { findIgnored, toModelSettings } from './handlers/load-settings.ts'

/** The one model of this process. */
export type ModelHost = HostOf<EngineModel>

/** Creates a process without a model. */
export function createOnnxHost(log: Log): ModelHost {
  return createModelHost(async (request) => {
    const settings = toModelSettings(request)
    const ignored = findIgnored(request)
    if (ignored.length > 0) log.warn(`not supported, ignored: ${ignored.join(', ')}`)
    const { graphFile } = await findModelFolder(settings.path, settings.weights)
    const { size, mtimeMs, ino } = await stat(graphFile)
    return {
      key: { settings, file: [size, mtimeMs, ino] },
      open: async ({ signal }) => await loadModel(settings, { signal }),
    }
  })
}
