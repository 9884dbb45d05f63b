import { isDeepStrictEqual } from 'node:util'
import type { ModelOptions } from '@svc/backend-client/proto'
import { SvcError } from '@svc/errors'
import type { BackendHandlers } from './handlers.ts'
import { assertModelIdentity, modelNotLoaded } from './identity.ts'

/** A model in memory. */
export interface HostedModel {
  /**
   * Whether its engine is gone: calls get the error that makes hosts load again, and an equal load opens it again.
   * @default false
   */
  readonly isLost?: boolean | undefined
  /** Ends the calls that run on it and frees the memory. */
  close(): Promise<void>
}

/** The plan of a LoadModel request. */
export interface ModelPlan<Model> {
  /**
   * Identity of the model, such as its settings with the size and time of its file: a load with a deeply equal key
   * leaves the model as it is.
   */
  readonly key: unknown
  /** Opens the model; the previous one is closed by then. A failing open must free its own resources. */
  open(options: { readonly signal: AbortSignal }): Promise<Model>
}

/** The one model of a process. */
export interface ModelHost<Model extends HostedModel> {
  /** The model, if one is loaded. */
  readonly current: Model | undefined
  /** LoadModel and Free. A load that fails with a `SvcError` reports it in its result, as hosts expect. */
  readonly handlers: Required<Pick<BackendHandlers, 'loadModel' | 'free'>>
  /**
   * Returns the model for a call that is meant for `identity`; empty means any. @throws `model_not_loaded`,
   * `model_identity_mismatch`
   */
  use(identity: string): Model
  /** Closes the model, if there is one. */
  unload(): Promise<void>
}

/**
 * Holds the one model of a process, initially none. Loads and frees run one after the other, in order of arrival. A
 * load replaces the previous model; a failing load leaves none.
 *
 * @param plan reads a request before anything is closed: where it fails, the previous model stays
 *
 * @example
 * const host = createModelHost(({ ModelFile }) => ({
 *   key: ModelFile,
 *   open: ({ signal }) => openEngine(ModelFile, { signal }),
 * }))
 * await serveBackend({
 *   handlers: { ...host.handlers, embedding: (request) => host.use(request.ModelIdentity).embed(request.Embeddings) },
 *   onStop: host.unload,
 * })
 */
export function createModelHost<Model extends HostedModel>(
  plan: (request: ModelOptions) => ModelPlan<Model> | Promise<ModelPlan<Model>>,
): ModelHost<Model> {
  let loaded: { readonly identity: string; readonly key: unknown; readonly model: Model } | undefined
  let turn: Promise<unknown> = Promise.resolve()

  /** Runs work in order, after failed work too. */
  const inTurn = <Result>(work: () => Promise<Result>): Promise<Result> => {
    const next = turn.then(work)
    turn = next.catch(() => {})
    return next
  }

  const close = async (): Promise<void> => {
    const model = loaded?.model
    loaded = undefined
    await model?.close()
  }

  const load = async (request: ModelOptions, signal: AbortSignal): Promise<void> => {
    signal.throwIfAborted()
    const identity = request.Model
    const { key, open } = await plan(request)
    const isSame = loaded?.identity === identity && isDeepStrictEqual(loaded.key, key)
    if (isSame && loaded?.model.isLost !== true) return
    await close()
    loaded = { identity, key, model: await open({ signal }) }
  }

  const unload = (): Promise<void> => inTurn(close)
  return {
    get current() {
      return loaded?.model
    },
    handlers: {
      loadModel: async (request, { signal }) => {
        try {
          await inTurn(() => load(request, signal))
          return { success: true, message: 'loaded' }
        } catch (error) {
          signal.throwIfAborted()
          if (SvcError.is(error)) return { success: false, message: error.message }
          throw error
        }
      },
      free: async () => {
        await unload()
        return { success: true, message: 'freed' }
      },
    },
    use: (identity) => {
      if (loaded === undefined || loaded.model.isLost === true) throw modelNotLoaded()
      assertModelIdentity(identity, loaded.identity)
      return loaded.model
    },
    unload,
  }
}
