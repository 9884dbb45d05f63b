import type { JsonDocument } from '@svc/json'
import { type ChatCompletionRequest, chatCompletionRequest, isPlainChat } from '@svc/wire/openai'
import { limitItems } from '../../../../inference/documents/limit-items.ts'
import { readBody } from '../../../../inference/documents/read-body.ts'
import { unparsable } from '../../../../inference/documents/unparsable.ts'
import { takeLogitBias } from '../../../../inference/engine/logit-bias.ts'
import type { WireFormat } from '../../../../inference/replies/wire-format.ts'
import type { MaybePromise } from '../../../../ports.ts'
import { findToolSecrets } from '../../tool-secrets.ts'
import { MAX_MESSAGES, MAX_METADATA } from '../limits.ts'
import { collectChat } from './collect.ts'
import { streamChat } from './stream.ts'
import { chatToDomain } from './to-domain.ts'
import { usesFunctions } from './tools.ts'

function validate(document: JsonDocument, signal: AbortSignal): MaybePromise<ChatCompletionRequest> {
  const messages = document.root.get('messages')
  if (messages !== undefined && messages.length > MAX_MESSAGES) {
    throw unparsable(`messages: more than ${MAX_MESSAGES}`, 'messages')
  }
  limitItems(document, 'metadata', MAX_METADATA)
  return readBody(chatCompletionRequest, document, signal, isPlainChat)
}

function createChatFormat({ allServers }: { readonly allServers: boolean }): WireFormat {
  return {
    // Such tools are refused here, but a trace keeps what was asked.
    secrets: findToolSecrets,
    async read(document, { signal }) {
      const taking = takeLogitBias(document, signal)
      const { rest, logitBias } = taking instanceof Promise ? await taking : taking
      const reading = validate(rest, signal)
      const body = reading instanceof Promise ? await reading : reading
      const request = chatToDomain(body, { logitBias, allServers })
      const options = {
        choices: request.choices,
        includeUsage: body.stream_options?.include_usage ?? false,
        usesFunctions: usesFunctions(body),
      }
      return {
        kind: 'generation',
        request,
        takesTurns: request.hostedTools !== undefined,
        stream: (facts) => streamChat(facts, options),
        collect: (facts) => collectChat(facts, options),
      }
    },
  }
}

/** The wire format of `POST /v1/chat/completions`. */
export const chatFormat: WireFormat = createChatFormat({ allServers: false })

/** The wire format of `POST /v1/mcp/chat/completions`. */
export const mcpChatFormat: WireFormat = createChatFormat({ allServers: true })
