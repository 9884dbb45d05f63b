import { ANSWER_TRAILERS, StatusResponse_State } from '@svc/backend-client/proto'
import { assertModelIdentity, type BackendHandlers, type HandlerContext, modelNotLoaded } from '@svc/backend-kit'
import { SvcError } from '@svc/errors'
import type { ClientHeader } from '@svc/proxy'
import type { ChatCompletion, ChatCompletionChunk } from '@svc/wire'
import { type CloudModel, type LoadContext, loadCloudModel } from './cloud-model.ts'
import { forward } from './forward.ts'
import { toChatRequest } from './to-chat-request.ts'
import { toReply, toReplyPiece, toWholeFailure } from './to-reply.ts'

/** The handlers of a process that serves one model upstream. */
export function createCloudProxy(context: LoadContext): BackendHandlers {
  let loaded: CloudModel | undefined

  const use = (identity: string): CloudModel => {
    if (loaded === undefined) throw modelNotLoaded()
    assertModelIdentity(identity, loaded.identity)
    return loaded
  }
  const translated = (identity: string): Extract<CloudModel, { mode: 'translate' }> => {
    const model = use(identity)
    if (model.mode === 'translate') return model
    throw new SvcError('invalid_request', 'this model passes requests through as they are: call Forward', {
      code: 'passthrough_only',
    })
  }

  return {
    loadModel: async (request, { signal }) => {
      try {
        loaded = await loadCloudModel(request, context)
        return { success: true, message: 'loaded' }
      } catch (error) {
        signal.throwIfAborted()
        if (SvcError.is(error)) return { success: false, message: error.message }
        throw error
      }
    },
    free: () => {
      loaded = undefined
      return { success: true, message: 'freed' }
    },
    status: () => ({
      state: loaded === undefined ? StatusResponse_State.UNINITIALIZED : StatusResponse_State.READY,
      memory: { total: BigInt(process.memoryUsage.rss()) },
    }),
    predict: async (request, call) => {
      const { chat, translate } = translated(request.ModelIdentity)
      try {
        const reply = await chat.complete(toChatRequest(request, context.log), toChatCall(call))
        tellEnd(reply, call)
        return toReply(reply, translate)
      } catch (error) {
        throw toWholeFailure(error)
      }
    },
    predictStream: async function* (request, call) {
      const { chat, translate } = translated(request.ModelIdentity)
      try {
        for await (const chunk of chat.stream(toChatRequest(request, context.log), toChatCall(call))) {
          tellEnd(chunk, call)
          yield toReplyPiece(chunk, translate)
        }
      } catch (error) {
        throw toWholeFailure(error)
      }
    },
    forward: (requests, { signal }) => forward(requests, { model: use(''), upstream: context.upstream, signal }),
  }
}

function toChatCall({ signal, metadata }: HandlerContext): { signal: AbortSignal; client: ClientHeader } {
  return { signal, client: (name) => metadata[name] }
}

/** Why the answer ended: a call in the older form is a call. */
function tellEnd({ choices: [choice] }: ChatCompletion | ChatCompletionChunk, call: HandlerContext): void {
  const reason = choice?.finish_reason
  if (reason == null) return
  call.addTrailer(ANSWER_TRAILERS.finish, reason === 'function_call' ? 'tool_calls' : reason)
}
