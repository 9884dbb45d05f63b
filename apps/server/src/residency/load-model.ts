import { statSync } from 'node:fs'
import type { PartialMessage } from '@svc/backend-client'
import type { ModelOptions } from '@svc/backend-client/proto'
import { SvcError, toSvcError } from '@svc/errors'
import type { BackendCatalog, BackendProgram } from '../backends/catalog.ts'
import { toPublicReason } from '../backends/log-text.ts'
import { describeExit } from '../backends/readiness.ts'
import type { RunningBackend } from '../backends/running-backend.ts'
import { settlesWithin } from '../backends/settles-within.ts'
import type { Supervisor } from '../backends/supervisor.ts'
import { describeWeights } from '../catalog/attach-weights.ts'
import type { ModelConfig } from '../catalog/model-config.ts'
import { GGUF_BACKEND, isGgufName } from '../catalog/to-model-config.ts'
import type { Clock } from '../ports.ts'

/** Time that a backend whose load failed gets to stop. */
const FAILED_LOAD_GRACE_MS = 2000
/** A lost connection is noticed shortly before the process ends; its exit explains the loss. */
const EXIT_NOTICE_MS = 2000
const MAX_NAMES_IN_MESSAGE = 20

/** Options of {@link createModelLoader}. */
export interface ModelLoaderOptions {
  readonly catalog: BackendCatalog
  readonly supervisor: Supervisor
  /** Creates the request for LoadModel. Equal configurations give equal requests. */
  readonly toLoadRequest: (model: ModelConfig) => PartialMessage<ModelOptions>
  /** Refuses models whose files no backend may read. @default none */
  readonly checkFiles?: ((model: ModelConfig) => Promise<void>) | undefined
  readonly clock: Clock
}

/** Loads models into memory. */
export interface ModelLoader {
  /** Gives the load request of a model as text. Another text means that the model must be loaded again. */
  toRevision(model: ModelConfig): string
  /**
   * Finds the backends that may run a model: the one that it names, or the candidates to try in order. Starts nothing.
   *
   * @throws SvcError `model_load_failed` (internal) when there is none, or when the weights are missing from the place
   *   where they would be read
   */
  find(model: ModelConfig): Promise<readonly BackendProgram[]>
  /**
   * Starts the programs in order until one loads the model. A process whose load fails is stopped.
   *
   * @throws SvcError `model_load_failed` (internal); the signal's reason; a refusal, see {@link isRefusal}
   */
  load(
    model: ModelConfig,
    options: { readonly programs: readonly BackendProgram[]; readonly signal: AbortSignal },
  ): Promise<RunningBackend>
}

/** Whether an error reports a load that was not tried or was aborted. Such an error is not a failure of the model. */
export function isRefusal(error: unknown): boolean {
  return SvcError.is(error) && error.code !== 'model_load_failed'
}

/** Creates a loader on a catalog and a supervisor. */
export function createModelLoader(options: ModelLoaderOptions): ModelLoader {
  const { supervisor, toLoadRequest } = options
  const revisions = new WeakMap<ModelConfig, string>()
  return {
    toRevision(model) {
      const known = revisions.get(model)
      if (known !== undefined) return known
      const revision = describeRequest(model, toLoadRequest)
      revisions.set(model, revision)
      return revision
    },
    async find(model) {
      const programs = await findPrograms(model, options.catalog)
      // A backend at an address may have its own folder of weights.
      if (model.weightsMissing === true && programs.every(({ kind }) => kind !== 'attach'))
        throw loadFailed(model, describeWeights(model) ?? '', undefined)
      return programs
    },
    async load(model, { programs, signal }) {
      const request = await buildRequest(model, options)
      const reasons: string[] = []
      let cause: unknown
      for (const program of programs) {
        try {
          return await loadFromFolder(program, { model, request, signal, supervisor, clock: options.clock })
        } catch (error) {
          const reason = toReason(error, signal)
          reasons.push(programs.length > 1 ? `${program.name}: ${reason}` : reason)
          cause = error
        }
      }
      throw loadFailed(model, reasons.join('; '), cause)
    },
  }
}

interface LoadAttempt {
  readonly model: ModelConfig
  readonly request: PartialMessage<ModelOptions>
  readonly signal: AbortSignal
  readonly supervisor: Supervisor
  readonly clock: Clock
}

/** Loads the model into one backend. One whose folder was replaced meanwhile may have read of both, and starts again. */
async function loadFromFolder(program: BackendProgram, attempt: LoadAttempt): Promise<RunningBackend> {
  const folder = readFolderId(program)
  try {
    return await loadInto(program, attempt)
  } catch (error) {
    if (attempt.signal.aborted || readFolderId(program) === folder) throw error
    return loadInto(program, attempt)
  }
}

/** Tells the folder of a program from another in its place; undefined where there is none. */
function readFolderId(program: BackendProgram): number | undefined {
  if (program.kind !== 'spawn') return undefined
  try {
    return statSync(program.cwd).ino
  } catch {
    return undefined
  }
}

/** Loads the model into one backend; stops the process on failure. */
async function loadInto(
  program: BackendProgram,
  { model, request, signal, supervisor, clock }: LoadAttempt,
): Promise<RunningBackend> {
  const backend = await supervisor.start(program, {
    modelName: model.name,
    attempts: model.grpc.attempts,
    attemptsSleepSeconds: model.grpc.attemptsSleepSeconds,
    signal,
  })
  try {
    const { ensureSuccess } = await import('../backends/grpc-client.ts')
    ensureSuccess(await backend.client.loadModel(request, { signal }))
    signal.throwIfAborted()
    return backend
  } catch (error) {
    const end = signal.aborted ? undefined : await describeEnd(toSvcError(error), backend, clock)
    await backend.stop({ graceMs: FAILED_LOAD_GRACE_MS, freeMs: 0 })
    if (end === undefined) throw error
    throw new SvcError('internal', end, { cause: error })
  }
}

/**
 * Gives the reason of a failed attempt.
 *
 * @throws the signal's reason, or an error that refuses every attempt for now
 */
function toReason(error: unknown, signal: AbortSignal): string {
  if (signal.aborted) throw signal.reason
  const failure = toSvcError(error)
  if (failure.code === 'process_limit' || failure.code === 'shutting_down') throw failure
  return failure.message
}

function loadFailed(model: ModelConfig, reason: string, cause: unknown): SvcError {
  return new SvcError('internal', `could not load model "${model.name}": ${toPublicReason(reason)}`, {
    code: 'model_load_failed',
    cause,
  })
}

async function buildRequest(
  model: ModelConfig,
  { toLoadRequest, checkFiles }: Pick<ModelLoaderOptions, 'toLoadRequest' | 'checkFiles'>,
): Promise<PartialMessage<ModelOptions>> {
  try {
    await checkFiles?.(model)
    return toLoadRequest(model)
  } catch (error) {
    const reason = SvcError.is(error) ? error.message : 'its configuration is not usable'
    throw loadFailed(model, reason, error)
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

/**
 * Finds the backend that a file names, or the candidates when it names none. All candidates together are one attempt.
 */
async function findPrograms(model: ModelConfig, catalog: BackendCatalog): Promise<readonly BackendProgram[]> {
  const find = () => {
    const program = catalog.resolve(model.backend)
    return program === undefined ? [] : [program]
  }
  const isOpen = namesNoBackend(model)
  const found = isOpen ? [] : find()
  if (found.length > 0) return found
  // a backend may have been installed a moment ago
  await catalog.refresh()
  const foundNow = isOpen ? catalog.candidates({ isGguf: hasGgufWeights(model) }) : find()
  if (foundNow.length > 0) return foundNow
  const names = catalog.names()
  const listed = names.slice(0, MAX_NAMES_IN_MESSAGE).join(', ')
  const what = isOpen ? 'it names no backend' : `backend "${model.backend}" is not installed`
  throw loadFailed(model, `${what}; known backends: ${listed || 'none'}`, undefined)
}

/** Whether the server chooses the backend. Reading the weights has already set it for GGUF files. */
export function namesNoBackend({ backend, source, raw }: ModelConfig): boolean {
  if (backend === '') return true
  const written = raw.backend
  return source !== 'demo' && backend === GGUF_BACKEND && (typeof written !== 'string' || written === '')
}

/** Whether the weights of a model are a GGUF file, by its name. */
export function hasGgufWeights({ parameters, file }: ModelConfig): boolean {
  return [parameters.model ?? '', file].some(isGgufName)
}

async function describeEnd(error: SvcError, backend: RunningBackend, clock: Clock): Promise<string | undefined> {
  if (error.kind !== 'unavailable') return undefined
  return (await settlesWithin(backend.exited, EXIT_NOTICE_MS, clock)) ? describeExit(await backend.exited) : undefined
}
