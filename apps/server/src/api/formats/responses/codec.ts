import { SvcError } from '@svc/errors'
import type { JsonDocument } from '@svc/json'
import {
  type ResponseCountReply,
  type ResponseRequest,
  responseCountRequest,
  responseRequest,
} from '@svc/wire/responses'
import { SSE_DONE } from '@svc/wire/sse'
import type * as z from 'zod'
import type { GenerationCodec, OperationCodec } from '../../../inference/codec.ts'
import { limitItems } from '../../../inference/limit-items.ts'
import { readBody } from '../../../inference/read-body.ts'
import type { ChatRequest } from '../../../inference/request.ts'
import { MAX_MESSAGES } from '../openai/limits.ts'
import { type ConversationSource, readConversation } from './conversation.ts'
import { unreadableInput, unsupported } from './errors.ts'
import type { ResponseSession } from './session.ts'
import { responseToDomain } from './to-domain.ts'

/**
 * The two ends of `POST /v1/responses`, for one request.
 *
 * @param options.alwaysStreams whether events are sent whatever the request says
 */
export function responsesCodec(
  session: ResponseSession,
  source: ConversationSource,
  { alwaysStreams }: { readonly alwaysStreams: boolean },
): GenerationCodec<ChatRequest> {
  return {
    async parse(document, { signal }) {
      const read = await validate(responseRequest, document, signal)
      const body = alwaysStreams ? { ...read, stream: true } : read
      refuseUnstoredBackground(body)
      const conversation = await readConversation(body, source)
      const request = responseToDomain(body, conversation)
      session.open(body, conversation.input)
      return request
    },
    begin: () => session.begin(),
    stream() {
      const { run } = session
      const isQueued = run.resource.status === 'queued'
      return {
        contentType: 'text/event-stream',
        start: () => session.frames([...(isQueued ? [] : run.open()), ...run.begin()]),
        event: (event) => session.frames(run.add(event)),
        end: () => session.frames(run.end()) + SSE_DONE,
        error: (error) => session.frames(run.fail(error)) + SSE_DONE,
      }
    },
    collect() {
      const { run } = session
      return {
        event(event) {
          if (run.resource.status === 'queued') run.begin()
          run.add(event)
        },
        body() {
          run.end()
          return run.resource
        },
      }
    },
  }
}

/** The two ends of `POST /v1/responses/input_tokens`, for one request. */
export function countInputCodec(source: ConversationSource): OperationCodec<'count'> {
  return {
    operation: 'count',
    async parse(document, { signal }) {
      const read = await validate(responseCountRequest, document, signal)
      const body = { ...read, input: read.input ?? [] }
      const chat = responseToDomain(body, await readConversation(body, source))
      // What a model makes of a medium is known only once it has read it.
      const [medium] = chat.messages.flatMap(({ attachments = [] }) => attachments)
      if (medium !== undefined) throw unsupported(medium.param, 'the tokens of media cannot be counted')
      return { kind: 'count', chat }
    },
    reply: (_request, { tokens }): ResponseCountReply => ({ object: 'response.input_tokens', input_tokens: tokens }),
  }
}

/** The body, checked; what is wrong with its input is said in the words of this format. */
async function validate<S extends z.ZodType>(
  schema: S,
  document: JsonDocument,
  signal: AbortSignal,
): Promise<z.output<S>> {
  limitItems(document, 'input', MAX_MESSAGES)
  try {
    return await readBody(schema, document, signal)
  } catch (error) {
    const { param } = (SvcError.is(error) ? error.details : undefined) ?? {}
    if (!SvcError.is(error) || param === undefined || !/^input(\.|\[|$)/.test(param)) throw error
    throw unreadableInput(error.message.replace(/^failed parsing request body: /, ''), param)
  }
}

function refuseUnstoredBackground(body: ResponseRequest): void {
  if (body.background !== true || body.store !== false) return
  throw new SvcError('invalid_request', 'background=true requires store=true', {
    code: 'background_needs_store',
    details: { type: 'invalid_request_error', param: 'background' },
  })
}
