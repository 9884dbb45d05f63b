import { SvcError } from '@svc/errors'
import { parseJsonCooperatively } from '@svc/json'
import type { EmbeddingCaller } from '../document-stores/embed-texts.ts'
import type { RequestCore } from '../inference/core/pipeline.ts'
import type { RequestContext } from '../inference/core/ports.ts'
import type { ChatRequest, GenerationOptions } from '../inference/core/request.ts'
import type { WireFormat } from '../inference/replies/wire-format.ts'
import type { HostedTool } from '../inference/tools/server-tools.ts'
import type { RunEvent } from './run-events.ts'
import { type RunMessage, toChatMessages } from './run-messages.ts'
import { toStorable } from './storable-text.ts'

/** The caller in whose name a run asks its model. */
export type RunCaller = EmbeddingCaller

/** A run of a model. */
export interface ModelRun {
  readonly model: string
  readonly messages: readonly RunMessage[]
  readonly generation?: GenerationOptions | undefined
  readonly hostedTools: readonly HostedTool[]
  readonly caller: RunCaller
  readonly signal: AbortSignal
}

/** Asks models in the name of a caller. */
export interface RunModel {
  /**
   * Runs a chat with the tools of the server, to its end. The run goes on once `onEvents` has resolved: what it has
   * written then is written before a tool runs.
   *
   * @throws {SvcError} every refusal of an inference request; the error of `onEvents`
   */
  run(run: ModelRun, onEvents: (events: readonly RunEvent[]) => Promise<void>): Promise<void>
}

/** The route in records, which also models upstream serve. */
const ROUTE = {
  method: 'POST',
  path: '/v1/chat/completions',
  usecase: 'chat',
  family: 'compatible',
  modelRequired: true,
  scanned: 'chat-completions',
} as const

/** Creates the runs on the request core. */
export function createRunModel(core: Pick<RequestCore, 'serve'>): RunModel {
  return {
    async run({ model, messages, generation = {}, hostedTools, caller, signal }, onEvents) {
      const body = Buffer.from(toStorable(JSON.stringify({ model, messages })))
      const message = await parseJsonCooperatively(body, { maxNodes: MAX_NODES }, { signal })
      const format = createFormat({ generation, hostedTools })
      await core.serve({ context: toContext(caller, signal), format, source: { message } }, async (reply) => {
        if (reply.kind !== 'events') throw notRunnable(model)
        for await (const events of reply.batches) await onEvents(events)
      })
    },
  }
}

/** Objects, arrays and keys of the body of a run. */
const MAX_NODES = 250_000

function toContext(caller: RunCaller, signal: AbortSignal): RequestContext {
  return {
    route: ROUTE,
    requestId: caller.requestId,
    baseUrl: '/',
    principal: caller.principal,
    signal,
    abort: signal,
    startedAt: performance.now(),
    log: caller.log,
    header: () => undefined,
    useModel: (name, through) => caller.useModel(name, through),
  }
}

function createFormat({
  generation,
  hostedTools,
}: {
  readonly generation: GenerationOptions
  readonly hostedTools: readonly HostedTool[]
}): WireFormat {
  return {
    async read({ root }) {
      const messages = toChatMessages(root.get('messages')?.toValue() as unknown as readonly RunMessage[])
      const request: ChatRequest & { readonly hostedTools: readonly HostedTool[] } = {
        kind: 'chat',
        messages,
        generation,
        choices: 1,
        stream: true,
        hostedTools,
      }
      // The events are read as they come: nothing is gathered.
      return {
        kind: 'generation',
        request,
        takesTurns: true,
        collect: () => ({ event: () => undefined, body: () => ({}) }),
      }
    },
  }
}

function notRunnable(model: string): SvcError {
  return new SvcError(
    'invalid_request',
    `model "${model}" is forwarded as it comes, so that no tools can run: set proxy.mode: translate in its file`,
    { code: 'route_not_served' },
  )
}
