import type { ModelConfig } from '../../catalog/model-config.ts'
import type { Usecase } from '../../catalog/usecase-names.ts'
import { toInnerBody } from '../../inference/core/inner-body.ts'
import { createInnerContext } from '../../inference/core/inner-context.ts'
import type { RequestCore } from '../../inference/core/pipeline.ts'
import type { RequestRoute } from '../../inference/core/ports.ts'
import type { OperationKind, OperationRequest, OperationResult } from '../../inference/operations/operation.ts'
import { toOperationCall, type WireFormat } from '../../inference/replies/wire-format.ts'
import type { StageCall } from '../ports.ts'
import { type HandOver, iterateWork } from './hand-over.ts'

/** A pipeline in whose name its models are asked: the right to use it suffices for them. */
export interface AskingPipeline {
  readonly name: string
  /** Names by which the caller may use it. */
  readonly through: readonly string[]
  /** The pipeline with the PII policy of its turns; undefined where they are not filtered. */
  readonly filteredAs: ModelConfig | undefined
}

/** Asks the models of a pipeline through the request core. */
export interface PartAsker {
  /** Runs an operation to its end. @throws {SvcError} every refusal of an inference request */
  perform<K extends OperationKind>(
    request: OperationRequest<K>,
    part: AskedPart,
    call: StageCall,
  ): Promise<OperationResult<K>>
  /** Runs an operation whose result is used, or read, while its model is held. Nothing runs before the first pull. */
  follow<K extends OperationKind, T>(
    request: OperationRequest<K>,
    asked: AskedPart & { readonly read: (result: OperationResult<K>, give: HandOver<T>) => Promise<void> },
    call: StageCall,
  ): AsyncGenerator<T, void>
  /** Serves a request in another format. Nothing runs before the first pull. */
  serve: <T>(asked: ServedPart<T>, call: StageCall) => AsyncGenerator<T, void>
}

/** A model of the pipeline, and what it is asked for. */
export interface AskedPart {
  readonly model: ModelConfig
  readonly usecase: Usecase
}

/** A request in a format of its own. */
export interface ServedPart<T> extends AskedPart {
  readonly body: object
  readonly scanned?: RequestRoute['scanned']
  readonly read: WireFormat['read']
  readonly deliver: (reply: Parameters<Parameters<RequestCore['serve']>[1]>[0], give: HandOver<T>) => Promise<void>
}

/** The route in records. */
export const REALTIME_PATH = '/v1/realtime'

/** Facts of a reply that nobody reads. */
export const NO_FACTS = { model: '', requestId: '', baseUrl: '/', created: 0, extraUsage: false }

/** Creates the asker of a pipeline. */
export function createPartAsker(core: Pick<RequestCore, 'serve'>, pipeline: AskingPipeline): PartAsker {
  function serve<T>(
    { model, usecase, body, scanned, read, deliver }: ServedPart<T>,
    call: StageCall,
  ): AsyncGenerator<T, void> {
    const left = new AbortController()
    const signal = AbortSignal.any([call.signal, left.signal])
    const route: RequestRoute = {
      method: 'GET',
      path: REALTIME_PATH,
      usecase,
      family: 'compatible',
      modelRequired: true,
      scanned: pipeline.filteredAs === undefined ? false : scanned,
    }
    const { name, through, filteredAs } = pipeline
    const format: WireFormat = { read, findModel: () => ({ name, model, through, filteredAs }) }
    const source = { body: toInnerBody(Buffer.from(JSON.stringify({ model: name, ...body }))) }
    return iterateWork<T>(
      (give) =>
        core.serve({ context: createInnerContext(call.caller, { route, signal }), format, source }, (reply) =>
          deliver(reply, give),
        ),
      { signal, onLeft: (reason) => left.abort(reason) },
    )
  }

  function follow<K extends OperationKind, T>(
    request: OperationRequest<K>,
    { read, ...part }: AskedPart & { readonly read: (result: OperationResult<K>, give: HandOver<T>) => Promise<void> },
    call: StageCall,
  ): AsyncGenerator<T, void> {
    return serve<T>(
      {
        ...part,
        body: {},
        read: async () => toOperationCall<K>(request, (result) => result),
        async deliver(reply, give) {
          if (reply.kind === 'json') await read(reply.body(NO_FACTS) as OperationResult<K>, give)
        },
      },
      call,
    )
  }

  return {
    serve,
    follow,
    async perform<K extends OperationKind>(request: OperationRequest<K>, part: AskedPart, call: StageCall) {
      const asked = { ...part, read: (result: OperationResult<K>, give: HandOver<OperationResult<K>>) => give(result) }
      let found: OperationResult<K> | undefined
      for await (const result of follow<K, OperationResult<K>>(request, asked, call)) found = result
      // The core rejects, or delivers.
      return found as OperationResult<K>
    },
  }
}
