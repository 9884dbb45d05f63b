import type { PredictionEvent, PredictionStep, PredictionWarning, Usage } from './events.ts'

/** Taps the events of a prediction on their way to the reply: what is counted, and later what is restored, sits here. */
export async function* tapLanes(
  events: AsyncIterable<PredictionStep>,
  taps: { readonly onUsage: (usage: Usage) => void; readonly onWarning: (warning: PredictionWarning) => void },
): AsyncGenerator<PredictionEvent> {
  for await (const event of events) {
    if (event.type === 'usage' || event.type === 'progress') taps.onUsage(event.usage)
    if (event.type === 'warning') taps.onWarning(event)
    else if (event.type !== 'progress') yield event
  }
}
