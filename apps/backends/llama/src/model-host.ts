import { stat } from 'node:fs/promises'
import { isDeepStrictEqual } from 'node:util'
import { assertModelIdentity, type Log, modelNotLoaded } from '@svc/backend-kit'
import { type EngineModel, loadModel } from './engine/model.ts'
import type { Runtime } from './engine/runtime.ts'
import type { ModelSettings } from './engine/settings.ts'

/** The one model of this process. */
export interface ModelHost {
  /** The engine, once it has started. */
  readonly runtime: Promise<Runtime>
  readonly log: Log
  /** The model, if one is loaded. */
  readonly current: EngineModel | undefined
  /** The model for a call that is meant for `identity`; empty means any. @throws `model_not_loaded`, `model_identity_mismatch` */
  use(identity: string): EngineModel
  /** Loads a model, in place of the one before. The same file with the same settings stays as it is. */
  load(identity: string, settings: ModelSettings, options: { readonly signal: AbortSignal }): Promise<void>
  /** Frees the memory; calls that run end with `unavailable`. */
  unload(): Promise<void>
}

interface Loaded {
  /** All that makes a model this one and no other. */
  readonly key: LoadKey
  readonly model: EngineModel
}

interface LoadKey {
  readonly identity: string
  readonly settings: ModelSettings
  /** Size and time of the file; nothing where it is not there. */
  readonly file: readonly number[]
}

/** A process without a model so far. */
export function createModelHost(options: { readonly runtime: Promise<Runtime>; readonly log: Log }): ModelHost {
  let loaded: Loaded | undefined
  let turn: Promise<unknown> = Promise.resolve()

  /** Loads and frees come one after the other, whatever became of those before. */
  const inTurn = <Result>(work: () => Promise<Result>): Promise<Result> => {
    const next = turn.then(work, work)
    turn = next.catch(() => {})
    return next
  }

  const release = async (): Promise<void> => {
    const model = loaded?.model
    loaded = undefined
    await model?.close()
  }

  return {
    ...options,
    get current() {
      return loaded?.model
    },
    use: (identity) => {
      if (loaded === undefined) throw modelNotLoaded()
      assertModelIdentity(identity, loaded.key.identity)
      return loaded.model
    },
    load: (identity, settings, { signal }) =>
      inTurn(async () => {
        signal.throwIfAborted()
        const key = { identity, settings, file: await describeFile(settings.file) }
        if (isDeepStrictEqual(loaded?.key, key)) return
        await release()
        const model = await loadModel(await options.runtime, settings, { signal, log: options.log })
        loaded = { key, model }
      }),
    unload: () => inTurn(release),
  }
}

async function describeFile(path: string): Promise<readonly number[]> {
  try {
    const { size, mtimeMs, ino } = await stat(path)
    return [size, mtimeMs, ino]
  } catch {
    // Loading will say what is wrong with it.
    return []
  }
}
