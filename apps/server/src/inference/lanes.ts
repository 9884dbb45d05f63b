import { NO_USAGE, type PredictionEvent, type Usage } from './events.ts'

/** Taps the events of a prediction on their way to the reply: what is counted, and later what is restored, sits here. */
export async function* tapLanes(
  events: AsyncIterable<PredictionEvent>,
  taps: { readonly onUsage: (usage: Usage) => void },
): AsyncGenerator<PredictionEvent> {
  let usage = NO_USAGE
  for await (const event of events) {
    if (event.type === 'usage') {
      usage = event.usage
      taps.onUsage(usage)
    }
    yield event
  }
}
