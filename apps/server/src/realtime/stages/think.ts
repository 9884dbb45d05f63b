import { SvcError } from '@svc/errors'
import type { JsonDocument } from '@svc/json'
import { type RunMessage, toChatMessages } from '../../agents/run-messages.ts'
import type { ModelConfig } from '../../catalog/model-config.ts'
import type { PredictionEvent } from '../../inference/core/events.ts'
import type { ChatRequest } from '../../inference/core/request.ts'
import type { HostedTool } from '../../inference/tools/hosted-tool.ts'
import type { StageCall, StageMessage } from '../ports.ts'
import type { PartAsker } from './ask-part.ts'

/** A chat with a model of the pipeline. */
export interface StageChat {
  readonly model: ModelConfig
  readonly messages: readonly StageMessage[]
  readonly tools?: readonly unknown[] | undefined
  readonly toolChoice?: unknown
  readonly hostedTools?: readonly HostedTool[] | undefined
  readonly options?: Partial<Pick<ChatRequest, 'generation' | 'reasoningEffort' | 'thinking' | 'approvals'>> | undefined
}

/**
 * Asks a model, with the tools that this server runs. The policy of the pipeline filters messages and tools, where it
 * has one. Nothing runs before the first pull.
 */
export function askChat(
  asker: PartAsker,
  { model, messages, tools = [], toolChoice, hostedTools = [], options = {} }: StageChat,
  call: StageCall,
): AsyncIterable<readonly PredictionEvent[]> {
  const maxTokens = options.generation?.maxTokens
  const body = {
    messages,
    ...(tools.length === 0 ? {} : { tools }),
    ...(maxTokens === undefined ? {} : { max_tokens: maxTokens }),
  }
  return asker.serve<readonly PredictionEvent[]>(
    {
      model,
      usecase: 'chat',
      body,
      scanned: 'chat-completions',
      read: async ({ root }) => ({
        kind: 'generation',
        request: {
          generation: {},
          ...options,
          kind: 'chat',
          messages: toChatMessages(readField(root, 'messages') as RunMessage[]),
          ...(tools.length === 0 ? {} : { tools: readField(root, 'tools'), toolChoice }),
          ...(hostedTools.length === 0 ? {} : { hostedTools, toolChoice }),
          choices: 1,
          stream: true,
        },
        takesTurns: true,
        // The events are read as they come: nothing is gathered.
        collect: () => ({ event: () => undefined, body: () => ({}) }),
      }),
      async deliver(reply, give) {
        if (reply.kind !== 'events') throw notTalkative(model)
        for await (const events of reply.batches) await give(events)
      },
    },
    call,
  )
}

function readField(root: JsonDocument['root'], key: string): unknown[] {
  const value: unknown = root.get(key)?.toValue()
  return Array.isArray(value) ? value : []
}

function notTalkative({ name }: ModelConfig): SvcError {
  return new SvcError(
    'invalid_request',
    `model "${name}" is forwarded as it comes, so that it cannot speak: set proxy.mode: translate in its file`,
    { code: 'route_not_served' },
  )
}
