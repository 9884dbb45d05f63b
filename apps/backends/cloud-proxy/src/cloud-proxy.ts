import { ANSWER_TRAILERS, StatusResponse_State } from '@svc/backend-client/proto'
import { type BackendHandlers, createModelHost, type HandlerContext } from '@svc/backend-kit'
import { SvcError } from '@svc/errors'
import type { ClientHeader } from '@svc/proxy'
import type { ChatCompletion, ChatCompletionChunk, CompletionUsage } from '@svc/wire/openai'
import { type CloudModel, type LoadContext, loadCloudModel } from './cloud-model.ts'
import { forward } from './forward.ts'
import { toChatRequest } from './to-chat-request.ts'
import { toReply, toReplyPiece, toWholeFailure } from './to-reply.ts'

/** Creates the handlers of a process that serves one model of an upstream. */
export function createCloudProxy(context: LoadContext): BackendHandlers {
  const host = createModelHost(async (request) => {
    const model = await loadCloudModel(request, context)
    // Every load has a key of its own, because each reads the upstream's key again.
    return { key: Symbol(request.Model), open: async () => ({ model, close: async () => {} }) }
  })
  const translated = (identity: string): Extract<CloudModel, { mode: 'translate' }> => {
    const { model } = host.use(identity)
    if (model.mode === 'translate') return model
    throw new SvcError('invalid_request', 'this model passes requests through as they are: call Forward', {
      code: 'passthrough_only',
    })
  }

  return {
    ...host.handlers,
    status: () => ({
      state: host.current === undefined ? StatusResponse_State.UNINITIALIZED : StatusResponse_State.READY,
      memory: { total: BigInt(process.memoryUsage.rss()) },
    }),
    predict: async (request, call) => {
      const { chat, translate } = translated(request.ModelIdentity)
      try {
        const reply = await chat.complete(toChatRequest(request, context.log), toChatCall(call))
        sendFinishReason(reply, call)
        if (translate === 'full') sendDetails(reply.usage, call)
        return toReply(reply, translate)
      } catch (error) {
        throw toWholeFailure(error)
      }
    },
    predictStream: async function* (request, call) {
      const { chat, translate } = translated(request.ModelIdentity)
      try {
        for await (const chunk of chat.stream(toChatRequest(request, context.log), toChatCall(call))) {
          sendFinishReason(chunk, call)
          if (translate === 'full') sendDetails(chunk.usage, call)
          yield toReplyPiece(chunk, translate)
        }
      } catch (error) {
        throw toWholeFailure(error)
      }
    },
    forward: (requests, { signal }) =>
      forward(requests, { model: host.use('').model, upstream: context.upstream, signal }),
  }
}

function toChatCall({ signal, metadata }: HandlerContext): { signal: AbortSignal; client: ClientHeader } {
  return { signal, client: (name) => metadata[name] }
}

/** Sends the finish reason; a call in the older form counts as a call. */
function sendFinishReason({ choices: [choice] }: ChatCompletion | ChatCompletionChunk, call: HandlerContext): void {
  const reason = choice?.finish_reason
  if (reason == null) return
  call.addTrailer(ANSWER_TRAILERS.finish, reason === 'function_call' ? 'tool_calls' : reason)
}

/** Sends the figures for which the messages of the contract have no field. */
function sendDetails(usage: CompletionUsage | null | undefined, call: HandlerContext): void {
  const { cached_tokens: cached, cache_creation_tokens: written } = usage?.prompt_tokens_details ?? {}
  const { reasoning_tokens: reasoning } = usage?.completion_tokens_details ?? {}
  if (cached !== undefined) call.addTrailer(ANSWER_TRAILERS.cachedTokens, String(cached))
  if (written !== undefined) call.addTrailer(ANSWER_TRAILERS.cacheWriteTokens, String(written))
  if (reasoning !== undefined) call.addTrailer(ANSWER_TRAILERS.reasoningTokens, String(reasoning))
}
