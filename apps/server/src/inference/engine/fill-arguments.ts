import type { PredictionEvent } from '../core/events.ts'

/** The arguments of a call without any. */
const NO_ARGUMENTS = '{}'

/** Arguments of a call of the history: absent and blank ones are an empty object. */
export function toCallArguments(text: string | null | undefined): string {
  return text === undefined || text === null || text.trim() === '' ? NO_ARGUMENTS : text
}

/** Adds events to those of a reply. */
export type FillArguments = (events: readonly PredictionEvent[]) => readonly PredictionEvent[]

/**
 * Gives calls that ended without arguments an empty object, because clients parse arguments as JSON. Calls of an answer
 * that was cut off stay as they are.
 */
export function createArgumentsFiller(): FillArguments {
  /** Calls without arguments so far, by choice. */
  let empty: Map<number, Set<number>> | undefined

  function note(event: PredictionEvent): void {
    if (event.type === 'tool-call-start') {
      empty ??= new Map()
      const calls = empty.get(event.choice) ?? new Set()
      empty.set(event.choice, calls.add(event.index))
    } else if (event.type === 'tool-call-delta' && event.arguments.trim() !== '') {
      empty?.get(event.choice)?.delete(event.index)
    }
  }

  function fill({ choice, finishReason }: Extract<PredictionEvent, { type: 'choice-end' }>): PredictionEvent[] {
    const calls = [...(empty?.get(choice) ?? [])]
    empty?.delete(choice)
    if (finishReason === 'length') return []
    return calls.map((index) => ({ type: 'tool-call-delta', choice, index, arguments: NO_ARGUMENTS }))
  }

  return (events) => {
    for (const event of events) note(event)
    if (empty === undefined || empty.size === 0) return events
    return events.flatMap((event) => (event.type === 'choice-end' ? [...fill(event), event] : [event]))
  }
}
