import { StatusResponse_State } from '@svc/backend-client/proto'
import { assertModelIdentity, type BackendHandlers, modelNotLoaded } from '@svc/backend-kit'
import { SvcError } from '@svc/errors'
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
    predict: async (request, { signal, metadata }) => {
      const { chat, translate } = translated(request.ModelIdentity)
      try {
        return toReply(
          await chat.complete(toChatRequest(request, context.log), { signal, client: (name) => metadata[name] }),
          translate,
        )
      } catch (error) {
        throw toWholeFailure(error)
      }
    },
    predictStream: async function* (request, { signal, metadata }) {
      const { chat, translate } = translated(request.ModelIdentity)
      try {
        const chunks = chat.stream(toChatRequest(request, context.log), { signal, client: (name) => metadata[name] })
        for await (const chunk of chunks) yield toReplyPiece(chunk, translate)
      } catch (error) {
        throw toWholeFailure(error)
      }
    },
    forward: (requests, { signal }) => forward(requests, { model: use(''), upstream: context.upstream, signal }),
  }
}
