import { SvcError } from '@svc/errors'
import type { PredictionEvent } from '../inference/core/events.ts'
import { toInnerBody } from '../inference/core/inner-body.ts'
import { createInnerContext, type InnerCaller } from '../inference/core/inner-context.ts'
import type { RequestCore } from '../inference/core/pipeline.ts'
import type { ChatRequest } from '../inference/core/request.ts'
import type { WireFormat } from '../inference/replies/wire-format.ts'
import type { HostedTool } from '../inference/tools/hosted-tool.ts'
import { type RunMessage, toChatMessages } from './run-messages.ts'
import { toStorable } from './storable-text.ts'

/** Fields of a request beside its messages. */
export type RunOptions = Partial<Pick<ChatRequest, 'generation' | 'structuredOutput' | 'reasoningEffort' | 'thinking'>>

/** A run of a model. */
export interface ModelRun {
  readonly model: string
  readonly messages: readonly RunMessage[]
  /** Further fields of the request. */
  readonly options?: RunOptions | undefined
  /** Whether it is a part of another request, which counts under the global limit already. @default false */
  readonly isInside?: boolean | undefined
  readonly hostedTools: readonly HostedTool[]
  readonly caller: InnerCaller
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
  run(run: ModelRun, onEvents: (events: readonly PredictionEvent[]) => Promise<void>): Promise<void>
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
    async run({ model, messages, options = {}, hostedTools, caller, isInside, signal }, onEvents) {
      const body = Buffer.from(toStorable(JSON.stringify({ model, messages })))
      const format = createFormat(options, hostedTools)
      const context = createInnerContext(caller, { route: ROUTE, isInside, signal })
      await core.serve({ context, format, source: { body: toInnerBody(body) } }, async (reply) => {
        if (reply.kind !== 'events') throw notRunnable(model)
        for await (const events of reply.batches) await onEvents(events)
      })
    },
  }
}

function createFormat(options: RunOptions, hostedTools: readonly HostedTool[]): WireFormat {
  return {
    async read({ root }) {
      const messages = toChatMessages(root.get('messages')?.toValue() as unknown as readonly RunMessage[])
      const request: ChatRequest = {
        generation: {},
        ...options,
        kind: 'chat',
        messages,
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
