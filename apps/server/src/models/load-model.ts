import { ensureSuccess, type PartialMessage } from '@svc/backend-client'
import type { ModelOptions } from '@svc/backend-client/proto'
import { SvcError, toSvcError } from '@svc/errors'
import type { BackendCatalog, BackendProgram } from '../backends/catalog.ts'
import { toPublicReason } from '../backends/log-text.ts'
import { describeExit } from '../backends/readiness.ts'
import type { RunningBackend } from '../backends/running-backend.ts'
import { settlesWithin } from '../backends/settles-within.ts'
import type { Supervisor } from '../backends/supervisor.ts'
import type { Clock } from '../ports.ts'
import type { ModelConfig } from './model-config.ts'

/** Patience with a backend whose load failed. */
const FAILED_LOAD_GRACE_MS = 2000
/** A lost connection is noticed a moment before the end of the process that explains it. */
const EXIT_NOTICE_MS = 500
const MAX_NAMES_IN_MESSAGE = 20

/** What loading a model needs. */
export interface ModelLoaderOptions {
  readonly catalog: BackendCatalog
  readonly supervisor: Supervisor
  /** What LoadModel is told. Same configuration, same request. */
  readonly toLoadRequest: (model: ModelConfig) => PartialMessage<ModelOptions>
  readonly clock: Clock
}

/** Brings models into memory. */
export interface ModelLoader {
  /** What a model is loaded with, as a text to compare: another text means another load. */
  revisionOf(model: ModelConfig): string
  /**
   * Starts the backend of a model and loads the model into it. On failure the process is stopped again.
   *
   * @throws SvcError `model_load_failed` (internal); the signal's reason; a refusal, see {@link isRefusal}
   */
  load(model: ModelConfig, options: { readonly signal: AbortSignal }): Promise<RunningBackend>
}

/** Whether an error says that a load was not tried, or was broken off: it is no failure of the model. */
export function isRefusal(error: unknown): boolean {
  return SvcError.is(error) && error.code !== 'model_load_failed'
}

/** A loader over a catalog and a supervisor. */
export function createModelLoader(options: ModelLoaderOptions): ModelLoader {
  const { supervisor, toLoadRequest } = options
  const revisions = new WeakMap<ModelConfig, string>()
  return {
    revisionOf(model) {
      const known = revisions.get(model)
      if (known !== undefined) return known
      const revision = describeRequest(model, toLoadRequest)
      revisions.set(model, revision)
      return revision
    },
    async load(model, { signal }) {
      let backend: RunningBackend | undefined
      try {
        const request = buildRequest(model, toLoadRequest)
        const program = await findProgram(model, options.catalog)
        backend = await supervisor.start(program, {
          modelName: model.name,
          attempts: model.grpc.attempts,
          attemptsSleepSeconds: model.grpc.attemptsSleepSeconds,
          signal,
        })
        ensureSuccess(await backend.client.loadModel(request, { signal }))
        signal.throwIfAborted()
        return backend
      } catch (error) {
        const failure = await explain(model, { error, backend, signal, clock: options.clock })
        await backend?.stop({ graceMs: FAILED_LOAD_GRACE_MS, freeMs: 0 })
        throw failure
      }
    },
  }
}

function buildRequest(
  model: ModelConfig,
  toLoadRequest: ModelLoaderOptions['toLoadRequest'],
): PartialMessage<ModelOptions> {
  try {
    return toLoadRequest(model)
  } catch (error) {
    if (SvcError.is(error)) throw error
    throw new SvcError('internal', 'its configuration is not usable', { cause: error })
  }
}

function describeRequest(model: ModelConfig, toLoadRequest: ModelLoaderOptions['toLoadRequest']): string {
  try {
    const parts = [model.backend, toLoadRequest(model)]
    return JSON.stringify(parts, (_key, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value))
  } catch {
    // The load itself fails with the reason.
    return 'invalid'
  }
}

async function findProgram(model: ModelConfig, catalog: BackendCatalog): Promise<BackendProgram> {
  const name = model.backend === '' ? defaultBackend(model) : model.backend
  const resolve = () => (name === undefined ? undefined : catalog.resolve(name))
  if (name !== undefined && resolve() === undefined) await catalog.refresh()
  const program = resolve()
  if (program !== undefined) return program
  const names = catalog.names()
  const listed = names.slice(0, MAX_NAMES_IN_MESSAGE).join(', ')
  const what = name === undefined ? 'it names no backend' : `backend "${name}" is not installed`
  throw new SvcError('internal', `${what}; known backends: ${listed || 'none'}`, { code: 'backend_unknown' })
}

/** The backend of a model that names none. */
function defaultBackend(model: ModelConfig): string | undefined {
  const files = [model.parameters.model ?? '', model.file]
  return files.some((file) => file.toLowerCase().endsWith('.gguf')) ? 'llama' : undefined
}

interface Failure {
  readonly error: unknown
  readonly backend: RunningBackend | undefined
  readonly signal: AbortSignal
  readonly clock: Clock
}

async function explain(model: ModelConfig, { error, backend, signal, clock }: Failure): Promise<unknown> {
  if (signal.aborted) return signal.reason
  const failure = toSvcError(error)
  if (failure.code === 'process_limit' || failure.code === 'shutting_down') return failure
  const reason = (await describeEnd(failure, backend, clock)) ?? failure.message
  return new SvcError('internal', `could not load model "${model.name}": ${toPublicReason(reason)}`, {
    code: 'model_load_failed',
    cause: error,
  })
}

async function describeEnd(
  error: SvcError,
  backend: RunningBackend | undefined,
  clock: Clock,
): Promise<string | undefined> {
  if (backend === undefined || error.kind !== 'unavailable') return undefined
  return (await settlesWithin(backend.exited, EXIT_NOTICE_MS, clock)) ? describeExit(await backend.exited) : undefined
}
