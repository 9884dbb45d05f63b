import type { SvcError } from '@svc/errors'
import type { ResponseEvent, ResponseResource } from '@svc/wire/responses'
import { toStatus } from '../../../http/error-map.ts'
import { type FinishReason, NO_USAGE, type PredictionEvent, type Usage } from '../../../inference/core/events.ts'
import { toResponsesError } from './errors.ts'
import type { Unnumbered } from './item-list.ts'
import { createOutput, type OutputOptions } from './output.ts'
import { toResponseUsage } from './resource.ts'

/** A running response: its present state, and the events of each step. */
export interface ResponseRun {
  /** The present response. */
  readonly resource: ResponseResource
  /** Whether it has ended. */
  readonly hasEnded: boolean
  /** Gives the first events. */
  open(): ResponseEvent[]
  /** Gives the events at the start of the model's answer. */
  begin(): ResponseEvent[]
  add(event: PredictionEvent): ResponseEvent[]
  /** Gives the events after the model's last one. */
  end(): ResponseEvent[]
  /** Gives the events of a failure, including the last one. */
  fail(error: SvcError): ResponseEvent[]
  /** Gives the last event of a cancelled response; its status is `cancelled`. */
  cancel(): ResponseEvent[]
}

/**
 * Starts a response.
 *
 * @param options.now milliseconds since the epoch
 */
export function startRun(options: {
  readonly resource: ResponseResource
  readonly output: OutputOptions
  readonly now: () => number
}): ResponseRun {
  const output = createOutput(options.output)
  let resource = options.resource
  let usage: Usage = NO_USAGE
  let finishReason: FinishReason = 'stop'
  let sequence = 0

  function number(events: readonly Unnumbered[]): ResponseEvent[] {
    return events.map((event) => {
      const numbered = { ...event, sequence_number: sequence } as ResponseEvent
      sequence += 1
      return numbered
    })
  }

  const hasEnded = (): boolean => resource.status !== 'queued' && resource.status !== 'in_progress'

  function settle(fields: Partial<ResponseResource>): ResponseResource {
    resource = {
      ...resource,
      completed_at: Math.floor(options.now() / 1000),
      output: [...output.items],
      usage: toResponseUsage(usage),
      ...fields,
    }
    return resource
  }

  return {
    get resource() {
      return resource
    },
    get hasEnded() {
      return hasEnded()
    },
    open: () =>
      number([
        { type: 'response.created', response: resource },
        ...(resource.status === 'queued' ? [{ type: 'response.queued' as const, response: resource }] : []),
      ]),
    begin() {
      if (hasEnded()) return []
      resource = { ...resource, status: 'in_progress' }
      return number([{ type: 'response.in_progress', response: resource }])
    },
    add(event) {
      if (hasEnded()) return []
      if (event.type === 'usage') {
        usage = event.usage
        return []
      }
      if (event.type === 'choice-end') finishReason = event.finishReason
      return number(output.add(event))
    },
    end() {
      if (hasEnded()) return []
      const reason = toIncompleteReason(finishReason)
      if (reason === undefined) {
        const events = output.end('completed')
        return number([...events, { type: 'response.completed', response: settle({ status: 'completed' }) }])
      }
      const events = output.end('incomplete')
      const response = settle({ status: 'incomplete', completed_at: null, incomplete_details: { reason } })
      return number([...events, { type: 'response.incomplete', response }])
    },
    fail(thrown) {
      if (resource.status === 'cancelled' || resource.status === 'failed') return []
      const error = toResponsesError(thrown)
      const events = output.items.length === 0 ? [] : output.end('incomplete')
      const { code, message, type } = describe(error)
      const response = settle({ status: 'failed', completed_at: null, error: { code, message, type } })
      return number([
        ...events,
        { type: 'error', code, message, param: error.details?.param ?? null },
        { type: 'response.failed', response },
      ])
    },
    cancel() {
      if (hasEnded()) return []
      const events = output.items.length === 0 ? [] : output.end('incomplete')
      const response = settle({ status: 'cancelled', completed_at: null })
      return number([...events, { type: 'response.incomplete', response }])
    },
  }
}

function toIncompleteReason(reason: FinishReason): 'max_output_tokens' | 'content_filter' | undefined {
  if (reason === 'length') return 'max_output_tokens'
  return reason === 'content_filter' ? 'content_filter' : undefined
}

function describe(error: SvcError): { readonly code: string; readonly message: string; readonly type: string } {
  const status = toStatus(error)
  const code = status === 429 ? 'rate_limit_exceeded' : status < 500 ? 'invalid_prompt' : 'server_error'
  return { code, message: error.message, type: error.details?.type ?? 'server_error' }
}
