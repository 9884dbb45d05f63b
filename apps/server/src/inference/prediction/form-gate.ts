import type { PredictionEvent, PredictionStep } from '../core/events.ts'
import { isFormMismatch } from './check-answer.ts'
import type { Plan } from './plan.ts'

/** Passes the events of one choice on, and adds warnings before its end. */
export type FormGate = (events: PredictionEvent[]) => readonly PredictionStep[]

/**
 * Creates the gate of one choice. It warns of a complete answer that does not match the requested form.
 *
 * @param options.refuses throw an error instead of a warning
 */
export function createFormGate(
  { check, checkCall }: Pick<Plan, 'check' | 'checkCall'>,
  { refuses }: { readonly refuses: boolean },
): FormGate {
  if (check === undefined && checkCall === undefined) return (events) => events
  let answer = ''
  const calls = new Map<number, { readonly name: string; json: string }>()

  function gather(event: PredictionEvent): void {
    if (event.type === 'text-delta') answer += event.text
    if (event.type === 'tool-call-start') calls.set(event.index, { name: event.name, json: '' })
    if (event.type !== 'tool-call-delta') return
    const call = calls.get(event.index)
    if (call !== undefined) call.json += event.arguments
  }

  /** An answer that was cut off is not checked. */
  function checkEnd({ finishReason }: Extract<PredictionEvent, { readonly type: 'choice-end' }>): void {
    if (finishReason === 'stop') check?.(answer)
    if (finishReason === 'tool_calls') for (const { name, json } of calls.values()) checkCall?.(name, json)
  }

  return (events) => {
    const warnings: PredictionStep[] = []
    for (const event of events) {
      gather(event)
      if (event.type !== 'choice-end') continue
      try {
        checkEnd(event)
      } catch (error) {
        if (refuses || !isFormMismatch(error)) throw error
        warnings.push({ type: 'warning', code: 'answer_form_mismatch', message: error.message })
      }
    }
    return warnings.length === 0 ? events : [...warnings, ...events]
  }
}
