import { SvcError } from '@svc/errors'
import type { JsonDocument, JsonNode } from '@svc/json'
import {
  type ResponseCountReply,
  type ResponseRequest,
  responseCountRequest,
  responseRequest,
} from '@svc/wire/responses'
import { SSE_DONE } from '@svc/wire/sse'
import type * as z from 'zod'
import { limitItems } from '../../../inference/documents/limit-items.ts'
import { readBody } from '../../../inference/documents/read-body.ts'
import { takeLogitBias } from '../../../inference/engine/logit-bias.ts'
import {
  type ReplyCollector,
  type StreamEncoder,
  toOperationCall,
  type WireFormat,
} from '../../../inference/replies/wire-format.ts'
import { MAX_MESSAGES, MAX_METADATA } from '../openai/limits.ts'
import { leaveOutHosted } from '../server-fields.ts'
import { findToolSecrets } from '../tool-secrets.ts'
import { type ConversationSource, findFirstResponse, readConversation, rememberReads } from './conversation.ts'
import { unreadableInput, unsupported } from './errors.ts'
import { readItemOptions } from './hosted-fields.ts'
import { newResponseId } from './ids.ts'
import type { AskedResponse, ResponseRecording } from './response-recording.ts'
import { responseToDomain } from './to-domain.ts'

/** Options of {@link createResponsesFormat}. */
export interface ResponsesFormatOptions {
  readonly source: ConversationSource
  /** Whether every reply is a stream of events. */
  readonly alwaysStreams: boolean
  /** Starts the recording of a response. */
  readonly open: (asked: AskedResponse) => ResponseRecording
}

/** Creates the wire format of `POST /v1/responses` for one request. */
export function createResponsesFormat(options: ResponsesFormatOptions): WireFormat {
  const { alwaysStreams, open } = options
  const source = rememberReads(options.source)
  const id = newResponseId()
  return {
    secrets: findToolSecrets,
    async findConversation({ root }) {
      const previous = readPrevious(root)
      if (previous !== undefined) return await findFirstResponse(previous, source)
      // Sockets, where a response that is not stored can be continued, are never filtered.
      return root.get('store')?.rawText() === 'false' ? undefined : id
    },
    async read(document, { model, signal }) {
      const { rest, logitBias } = await takeLogitBias(document, signal)
      const read = await validate(responseRequest, rest, signal)
      const body = alwaysStreams ? { ...read, stream: true } : read
      refuseUnstoredBackground(body)
      const conversation = await readConversation(body, source).finally(source.forget)
      const request = responseToDomain(body, conversation, logitBias)
      const output = readItemOptions(body, [...conversation.history, ...conversation.input])
      const recording = open({ id, asked: body, input: conversation.input, model, output })
      return {
        kind: 'generation',
        request,
        takesTurns: request.hostedTools !== undefined,
        begin: recording.begin,
        record: recording.record,
        stream: () => streamResponse(recording),
        collect: () => collectResponse(recording),
      }
    },
  }
}

function streamResponse({ run, encode }: ResponseRecording): StreamEncoder {
  const isQueued = run.resource.status === 'queued'
  return {
    contentType: 'text/event-stream',
    start: () => encode([...(isQueued ? [] : run.open()), ...run.begin()]),
    event: (event) => encode(run.add(event)),
    end: () => encode(run.end()) + SSE_DONE,
    error: (error) => encode(run.fail(error)) + SSE_DONE,
  }
}

function collectResponse({ run }: ResponseRecording): ReplyCollector {
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
}

/** Creates the wire format of `POST /v1/responses/input_tokens` for one request. */
export function createInputCountFormat(source: ConversationSource): WireFormat {
  return {
    secrets: findToolSecrets,
    async findConversation({ root }) {
      const previous = readPrevious(root)
      return previous === undefined ? undefined : await findFirstResponse(previous, source)
    },
    async read(document, { signal }) {
      const { rest } = await takeLogitBias(document, signal)
      const read = await validate(responseCountRequest, rest, signal)
      const body = { ...read, input: read.input ?? [] }
      const chat = leaveOutHosted(responseToDomain(body, await readConversation(body, source)))
      // The number of a medium's tokens is known only after the model has read it.
      const [medium] = chat.messages.flatMap(({ attachments = [] }) => attachments)
      if (medium !== undefined) throw unsupported(medium.param, 'the tokens of media cannot be counted')
      return toOperationCall<'count'>(
        { kind: 'count', chat },
        ({ tokens }): ResponseCountReply => ({ object: 'response.input_tokens', input_tokens: tokens }),
      )
    },
  }
}

function readPrevious(root: JsonNode): string | undefined {
  const previous = root.get('previous_response_id')
  return previous?.kind === 'string' ? previous.text() : undefined
}

/** Checks a body. Faults of its input are worded as this format does. */
async function validate<S extends z.ZodType>(
  schema: S,
  document: JsonDocument,
  signal: AbortSignal,
): Promise<z.output<S>> {
  limitItems(document, 'input', MAX_MESSAGES)
  limitItems(document, 'metadata', MAX_METADATA)
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
