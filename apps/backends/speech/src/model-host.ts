import { stat } from 'node:fs/promises'
import { createModelHost, type ModelHost as HostOf, type Log } from '@svc/backend-kit'
import { findEngine } from './engines/registry.ts'
import { SHARED_OPTIONS, toLoadSettings } from './handlers/load-settings.ts'
import type { SpeechModel } from './speech-model.ts'

/** The one model of this process. */
export type ModelHost = HostOf<SpeechModel>

/** Creates a process without a model. */
export function createSpeechHost(log: Log): ModelHost {
  return createModelHost(async (request) => {
    const settings = toLoadSettings(request)
    const engine = await findEngine(settings)
    const known = new Set<string>([...SHARED_OPTIONS, ...engine.options])
    const ignored = [...settings.options.keys()].filter((name) => !known.has(name))
    if (ignored.length > 0) log.warn(`not supported, ignored: ${ignored.join(', ')}`)
    // An engine that needs no file has none.
    const file = await stat(settings.path).catch(() => undefined)
    return {
      key: { settings, file: file === undefined ? [] : [file.size, file.mtimeMs, file.ino] },
      open: async (options) => await engine.load(settings, options),
    }
  })
}
