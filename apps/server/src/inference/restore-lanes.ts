import { createLaneRestorer, type LaneKind, type LaneRestorer, restoreText, type TokenMap } from '@svc/pii/reversible'
import type { PredictionEvent } from './events.ts'

/** The lanes of one choice. */
interface ChoiceLanes {
  readonly text: LaneRestorer
  readonly reasoning: LaneRestorer
  /** Arguments of calls, by index. */
  readonly calls: Map<number, LaneRestorer>
}

/**
 * Puts masked values back into a reply. A lane keeps back only what may be the beginning of a token, and gives it out
 * before whatever ends the lane; what is kept when a prediction fails is dropped (§6.3).
 */
export async function* restoreLanes(
  events: AsyncIterable<PredictionEvent>,
  map: TokenMap,
): AsyncGenerator<PredictionEvent> {
  const choices = new Map<number, ChoiceLanes>()
  const restorer = (kind: LaneKind): LaneRestorer => createLaneRestorer(map, kind)
  const lanesOf = (choice: number): ChoiceLanes => {
    const known = choices.get(choice)
    if (known !== undefined) return known
    const lanes = { text: restorer('text'), reasoning: restorer('text'), calls: new Map<number, LaneRestorer>() }
    choices.set(choice, lanes)
    return lanes
  }
  for await (const event of events) {
    switch (event.type) {
      case 'usage':
        yield event
        break
      case 'text-delta': {
        const lanes = lanesOf(event.choice)
        yield* releaseReasoning(event.choice, lanes)
        const text = lanes.text.push(event.text)
        if (text !== '' || event.text === '' || event.logprobs !== undefined) yield { ...event, text }
        break
      }
      case 'reasoning-delta': {
        const text = lanesOf(event.choice).reasoning.push(event.text)
        if (text !== '' || event.text === '') yield { ...event, text }
        break
      }
      case 'tool-call-start': {
        const lanes = lanesOf(event.choice)
        yield* releaseReasoning(event.choice, lanes)
        yield* releaseText(event.choice, lanes)
        yield* releaseCalls(event.choice, lanes)
        lanes.calls.set(event.index, restorer('json'))
        yield { ...event, name: restoreText(map, event.name) }
        break
      }
      case 'tool-call-delta': {
        const text = lanesOf(event.choice).calls.get(event.index)?.push(event.arguments) ?? event.arguments
        if (text !== '' || event.arguments === '') yield { ...event, arguments: text }
        break
      }
      case 'choice-end': {
        const lanes = lanesOf(event.choice)
        yield* releaseReasoning(event.choice, lanes)
        yield* releaseText(event.choice, lanes)
        yield* releaseCalls(event.choice, lanes)
        choices.delete(event.choice)
        yield event.stopText === undefined ? event : { ...event, stopText: restoreText(map, event.stopText) }
      }
    }
  }
}

function* releaseReasoning(choice: number, { reasoning }: ChoiceLanes): Generator<PredictionEvent> {
  if (reasoning.isHolding) yield { type: 'reasoning-delta', choice, text: reasoning.end() }
}

function* releaseText(choice: number, { text }: ChoiceLanes): Generator<PredictionEvent> {
  if (text.isHolding) yield { type: 'text-delta', choice, text: text.end() }
}

function* releaseCalls(choice: number, { calls }: ChoiceLanes): Generator<PredictionEvent> {
  for (const [index, lane] of calls) {
    if (lane.isHolding) yield { type: 'tool-call-delta', choice, index, arguments: lane.end() }
  }
}
