import { readFileSync } from 'node:fs'
import { createLocalPrincipal, type Principal } from '@svc/auth'
import { SvcError } from '@svc/errors'
import { parseJson } from '@svc/json'
import { createModel } from '../../../catalog/__fixtures__/model.ts'
import type { ModelConfig } from '../../../catalog/model-config.ts'
import { silentLogger } from '../../../db/__fixtures__/places.ts'
import type { PredictionEvent } from '../../../inference/core/events.ts'
import { RequestLedger } from '../../../inference/core/ledger.ts'
import type { IncomingRequest, RequestCore } from '../../../inference/core/pipeline.ts'
import type { GenerationRequest } from '../../../inference/core/request.ts'
import type { OperationRequest } from '../../../inference/operations/operation.ts'
import type { FoundModel } from '../../../inference/replies/wire-format.ts'
import type { PipelineStages, StageCall } from '../../ports.ts'
import { createPipelineStages, type StageParts } from '../pipeline-stages.ts'

/** A request as the core has got it. */
export interface AskedRequest {
  readonly found: FoundModel
  readonly route: IncomingRequest['context']['route']
  readonly requestId: string
  readonly body: Readonly<Record<string, unknown>>
  readonly request: OperationRequest | GenerationRequest
  /** The beginning of the file that the request names, and whether it was there. */
  readonly sound?: Buffer | undefined
}

/** What models of the world answer. */
export interface WorldAnswers {
  readonly operation?: (request: OperationRequest, model: ModelConfig) => unknown
  readonly events?: (request: GenerationRequest, model: ModelConfig) => AsyncIterable<readonly PredictionEvent[]>
  readonly quietly?: (request: OperationRequest) => unknown
  readonly load?: (model: ModelConfig) => Promise<void>
  readonly reserve?: (model: string) => Promise<void>
}

/** Stages over a core that answers by functions. */
export interface StageWorld {
  readonly stages: PipelineStages
  readonly asked: readonly AskedRequest[]
  readonly observed: readonly string[]
  readonly loaded: readonly string[]
  /** Paths of the files that are there. */
  readonly paths: ReadonlySet<string>
  readonly used: readonly string[]
  /** Models whose requests were answered to their end. */
  readonly finished: readonly string[]
  call(changes?: { readonly signal?: AbortSignal; readonly principal?: Principal }): StageCall
}

/** Creates a pipeline whose models are all of backend `mock`, unless they are given. */
export function createStageWorld(
  pipeline: NonNullable<ModelConfig['pipeline']>,
  answers: WorldAnswers,
  options: {
    readonly model?: Partial<ModelConfig>
    readonly models?: readonly ModelConfig[]
    readonly files: StageParts['files']
    readonly through?: readonly string[]
  },
): StageWorld {
  const model = createModel({ name: 'talk', backend: '', pipeline, ...options.model })
  const models = new Map([model, ...(options.models ?? [])].map((each) => [each.name, each]))
  const known = ['vad', 'heard', 'thinker', 'voice', 'sounds', 'people', 'scorer', 'short']
  const findModel = (name: string): ModelConfig | undefined =>
    models.get(name) ?? (known.includes(name) ? createModel({ name, knownUsecases: ['chat', 'score'] }) : undefined)
  const asked: AskedRequest[] = []
  const observed: string[] = []
  const loaded: string[] = []
  const used: string[] = []
  const finished: string[] = []
  const paths = new Set<string>()
  const core: Pick<RequestCore, 'serve'> = {
    async serve({ context, format, source }, deliver) {
      if (!('body' in source)) throw new Error('a body was expected')
      const document = parseJson((await source.body.read()).bytes)
      const found = format.findModel?.(document)
      if (found === undefined) throw new Error('a model was expected')
      const call = await format.read(document, { signal: context.signal } as never)
      const { request } = call
      const sound = 'path' in request ? readFileSync(request.path) : undefined
      const body = document.root.toValue() as AskedRequest['body']
      asked.push({ found, route: context.route, requestId: context.requestId, body, request, sound })
      const ledger = new RequestLedger(found.name, found.model)
      if (call.kind === 'generation') {
        const batches = answers.events?.(call.request, found.model)
        if (batches === undefined) throw new SvcError('not_implemented', 'no chat', { code: 'unimplemented' })
        await deliver({ kind: 'events', context, ledger, call, batches })
      } else {
        const reply = await call.perform(async (one) => answers.operation?.(one, found.model) as never)
        await deliver({ ...reply, context, ledger })
      }
      finished.push(found.name)
      return ledger
    },
  }
  const stages = createPipelineStages(
    model,
    {
      core,
      performQuietly: async (request) => answers.quietly?.(request) as never,
      findModel,
      residency: {
        async load(each) {
          await answers.load?.(each)
          loaded.push(each.name)
        },
      },
      quotas: {
        hasLimits: false,
        async reserve(_, { model: name }) {
          await answers.reserve?.(name)
          return { figures: undefined, passed: [], settle: () => undefined, renew: async () => undefined }
        },
      },
      files: {
        async create(wish) {
          const file = await options.files.create(wish)
          paths.add(file.path)
          return { ...file, remove: () => file.remove().finally(() => paths.delete(file.path)) }
        },
      },
      readHostedTools: (tools) => tools.map(() => ({ kind: 'assistant' })),
      observeStage: (stage) => observed.push(stage),
      observeFirstSound: (seconds) => observed.push(`first sound ${seconds}`),
      traces: { begin: () => undefined },
      clock: { monotonic: () => performance.now() },
    },
    { through: options.through },
  )
  return {
    stages,
    asked,
    observed,
    loaded,
    paths,
    used,
    finished,
    call: ({ signal = new AbortController().signal, principal = createLocalPrincipal('ada') } = {}) => ({
      caller: {
        principal,
        requestId: 'r-1',
        log: silentLogger,
        useModel: (name, through) => used.push([name, ...through].join(' ')),
      },
      signal,
    }),
  }
}
