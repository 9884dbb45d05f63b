import { stat } from 'node:fs/promises'
import { isDeepStrictEqual } from 'node:util'
import { assertModelIdentity, type Log, modelNotLoaded } from '@svc/backend-kit'
import { type EngineModel, loadModel } from './engine/model.ts'
import { findModelFolder } from './engine/model-files.ts'
import type { ModelSettings } from './engine/settings.ts'

/** The one model of this process. */
export interface ModelHost {
  readonly log: Log
  /** The model, if one is loaded. */
  readonly current: EngineModel | undefined
  /** The model for a call that is meant for `identity`; empty means any. @throws `model_not_loaded`, `model_identity_mismatch` */
  use(identity: string): EngineModel
  /** Loads a model, in place of the one before. The same files with the same settings stay as they are. */
  load(identity: string, settings: ModelSettings, options: { readonly signal: AbortSignal }): Promise<void>
  /** Frees the memory; calls that run end with `unavailable`. */
  unload(): Promise<void>
}

interface Loaded {
  readonly identity: string
  readonly model: EngineModel
  /** Size, time and number of the file of the graph. */
  readonly file: readonly number[]
}

/** A process without a model so far. */
export function createModelHost(log: Log): ModelHost {
  let loaded: Loaded | undefined
  let last: Promise<unknown> = Promise.resolve()

  /** One after the other, whatever became of the one before. */
  const queue = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    const before = last
    const { promise, resolve } = withResolver()
    last = promise
    try {
      await before
      return await work()
    } finally {
      resolve()
    }
  }

  const unload = async (): Promise<void> => {
    const model = loaded?.model
    loaded = undefined
    await model?.close()
  }

  return {
    log,
    get current() {
      return loaded?.model
    },
    use: (identity) => {
      if (loaded === undefined || loaded.model.isLost) throw modelNotLoaded()
      assertModelIdentity(identity, loaded.identity)
      return loaded.model
    },
    load: (identity, settings, { signal }) =>
      queue(async () => {
        signal.throwIfAborted()
        const { graphFile } = await findModelFolder(settings.path, settings.weights)
        const { size, mtimeMs, ino } = await stat(graphFile)
        const file = [size, mtimeMs, ino]
        const same =
          loaded?.identity === identity &&
          !loaded.model.isLost &&
          isDeepStrictEqual(loaded.file, file) &&
          isDeepStrictEqual(loaded.model.settings, settings)
        if (same) return
        await unload()
        loaded = { identity, file, model: await loadModel(settings, { signal }) }
      }),
    unload: () => queue(unload),
  }
}

function withResolver(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = (): void => {}
  const promise = new Promise<void>((settle) => {
    resolve = settle
  })
  return { promise, resolve }
}
