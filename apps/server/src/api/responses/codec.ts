import { SvcError } from '@svc/errors'
import type { JsonDocument } from '@svc/json'
import { encodeSseJson, type ResponseEvent, type ResponseRequest, responseRequest, SSE_DONE } from '@svc/wire'
import type { GenerationCodec } from '../../inference/codec.ts'
import { limitItems } from '../../inference/limit-items.ts'
import { readBody } from '../../inference/read-body.ts'
import type { Clock } from '../../ports.ts'
import { MAX_MESSAGES } from '../openai/limits.ts'
import { unreadableInput } from './errors.ts'
import { newResponseId } from './ids.ts'
import { newResource } from './resource.ts'
import { type ResponseRun, startRun } from './run.ts'
import { inputItemsOf, type ResponsesRequest, responseToDomain } from './to-domain.ts'

/** The two ends of `POST /v1/responses`. */
export function responsesCodec({ clock }: { readonly clock: Clock }): GenerationCodec<ResponsesRequest> {
  const start = (request: ResponsesRequest, facts: { readonly model: string; readonly created: number }): ResponseRun =>
    startRun({
      resource: newResource(request.asked, { ...facts, id: newResponseId(), store: false }),
      now: () => clock.now(),
    })
  return {
    async parse(document, { signal }) {
      const body = await validate(document, signal)
      refuseStored(body)
      return responseToDomain(body, { input: inputItemsOf(body), history: [] })
    },
    stream(request, facts) {
      const run = start(request, facts)
      return {
        contentType: 'text/event-stream',
        start: () => toFrames(run.begin()),
        event: (event) => toFrames(run.add(event)),
        end: () => toFrames(run.end()) + SSE_DONE,
        error: (error) => toFrames(run.fail(error)) + SSE_DONE,
      }
    },
    collect(request, facts) {
      const run = start(request, facts)
      return {
        event: (event) => void run.add(event),
        body() {
          run.end()
          return run.resource
        },
      }
    },
  }
}

function toFrames(events: readonly ResponseEvent[]): string {
  return events.map((event) => encodeSseJson(event, event.type)).join('')
}

/** The body, checked; what is wrong with its input is said in the words of this format. */
async function validate(document: JsonDocument, signal: AbortSignal): Promise<ResponseRequest> {
  limitItems(document, 'input', MAX_MESSAGES)
  try {
    return await readBody(responseRequest, document, signal)
  } catch (error) {
    const { param } = (SvcError.is(error) ? error.details : undefined) ?? {}
    if (!SvcError.is(error) || param === undefined || !/^input(\.|\[|$)/.test(param)) throw error
    throw unreadableInput(error.message.replace(/^failed parsing request body: /, ''), param)
  }
}

/** Nothing is stored yet: what leans on a stored response is told so in the words it expects. */
function refuseStored(body: ResponseRequest): void {
  if (body.background === true) {
    throw new SvcError('invalid_request', 'background=true requires store=true', {
      code: 'background_needs_store',
      details: { type: 'invalid_request_error', param: 'background' },
    })
  }
  if (body.previous_response_id != null) {
    throw new SvcError('not_found', `previous response not found: ${body.previous_response_id}`, {
      code: 'previous_response_not_found',
      details: { type: 'not_found', param: 'previous_response_id' },
    })
  }
  for (const [index, item] of inputItemsOf(body).entries()) {
    if (item.type === 'item_reference' || !('role' in item || 'call_id' in item || item.type === 'reasoning')) {
      throw unreadableInput(`input[${index}]: no such item`, `input[${index}]`)
    }
  }
}
