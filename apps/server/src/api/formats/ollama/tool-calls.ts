import { SvcError } from '@svc/errors'
import type { OllamaChatReply } from '@svc/wire/ollama'
import type { PredictionEvent } from '../../../inference/core/events.ts'

/** A call on the wire: complete, with its arguments as an object. */
export type OllamaCall = NonNullable<OllamaChatReply['message']['tool_calls']>[number]

/** Gathers complete calls; clients of this format take no pieces. */
export interface CallGatherer {
  event(event: Extract<PredictionEvent, { type: 'tool-call-start' | 'tool-call-delta' }>): void
  /**
   * Gives the calls in order. Incomplete calls of an answer that was cut off are left out.
   *
   * @throws {SvcError} `internal` when the model wrote arguments that are no JSON object
   */
  calls(options: { readonly wasCut: boolean }): OllamaCall[]
}

/** Creates an empty gatherer. */
export function gatherCalls(): CallGatherer {
  const gathered: { id: string; name: string; json: string }[] = []
  return {
    event(event) {
      if (event.type === 'tool-call-start') gathered[event.index] = { id: event.id, name: event.name, json: '' }
      else {
        const call = gathered[event.index]
        if (call !== undefined) call.json += event.arguments
      }
    },
    calls: ({ wasCut }) =>
      gathered
        .filter((call) => call !== undefined)
        .map((call) => ({ ...call, arguments: parseArguments(call.json) }))
        .flatMap(({ id, name, arguments: given }, index) => {
          if (given !== undefined) return [{ id, function: { index, name, arguments: given } }]
          if (wasCut) return []
          throw new SvcError('internal', `the model called ${name} with arguments that are no JSON object`, {
            code: 'invalid_tool_call',
          })
        }),
  }
}

function parseArguments(json: string): OllamaCall['function']['arguments'] | undefined {
  const value = json.trim() === '' ? undefined : parse(json)
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}
