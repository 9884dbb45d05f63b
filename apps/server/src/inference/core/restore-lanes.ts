import { createLaneRestorer, type LaneKind, type LaneRestorer, restoreText, type TokenMap } from '@svc/pii/reversible'
import type { PredictionEvent } from './events.ts'

/** The lanes of one choice. */
interface ChoiceLanes {
  readonly text: LaneRestorer
  readonly reasoning: LaneRestorer
  /** Arguments of calls, by index. */
  readonly calls: Map<number, LaneRestorer>
}

/** Restores one event and appends the result to `out`: nothing, the event, or text that was kept back before it. */
export type LaneRestoration = (event: PredictionEvent, out: PredictionEvent[]) => void

/**
 * Creates the restoration of one reply. A lane keeps back only text that may be the beginning of a token, and releases
 * it before the event that ends the lane. Text that is kept when a prediction fails is dropped (§6.3).
 */
export function createLaneRestoration(map: TokenMap): LaneRestoration {
  const choices = new Map<number, ChoiceLanes>()
  const createRestorer = (kind: LaneKind): LaneRestorer => createLaneRestorer(map, kind)
  const findLanes = (choice: number): ChoiceLanes => {
    const known = choices.get(choice)
    if (known !== undefined) return known
    const text = createRestorer('text')
    const lanes = { text, reasoning: createRestorer('text'), calls: new Map<number, LaneRestorer>() }
    choices.set(choice, lanes)
    return lanes
  }
  return (event, out) => {
    switch (event.type) {
      case 'usage':
        out.push(event)
        break
      case 'text-delta': {
        const lanes = findLanes(event.choice)
        releaseReasoning(event.choice, lanes, out)
        const text = lanes.text.push(event.text)
        const hasTokens = event.logprobs !== undefined || event.prompt !== undefined
        if (text !== '' || event.text === '' || hasTokens) out.push({ ...event, text })
        break
      }
      case 'reasoning-delta': {
        const text = findLanes(event.choice).reasoning.push(event.text)
        if (text !== '' || event.text === '') out.push({ ...event, text })
        break
      }
      case 'reasoning-signature':
      case 'redacted-reasoning':
        releaseReasoning(event.choice, findLanes(event.choice), out)
        out.push(event)
        break
      case 'tool-call-start': {
        const lanes = findLanes(event.choice)
        releaseAll(event.choice, lanes, out)
        lanes.calls.set(event.index, createRestorer('json'))
        out.push({ ...event, name: restoreText(map, event.name) })
        break
      }
      case 'tool-call-delta': {
        const text = findLanes(event.choice).calls.get(event.index)?.push(event.arguments) ?? event.arguments
        if (text !== '' || event.arguments === '') out.push({ ...event, arguments: text })
        break
      }
      case 'server-tools':
        out.push(event)
        break
      case 'server-tool-call':
      case 'server-tool-approval':
      case 'server-tool-result':
        // The loop has restored their texts.
        releaseAll(event.choice, findLanes(event.choice), out)
        out.push(event)
        break
      case 'choice-end':
        releaseAll(event.choice, findLanes(event.choice), out)
        choices.delete(event.choice)
        out.push(event.stopText === undefined ? event : { ...event, stopText: restoreText(map, event.stopText) })
    }
  }
}

function releaseReasoning(choice: number, { reasoning }: ChoiceLanes, out: PredictionEvent[]): void {
  if (reasoning.isHolding) out.push({ type: 'reasoning-delta', choice, text: reasoning.end() })
}

function releaseAll(choice: number, lanes: ChoiceLanes, out: PredictionEvent[]): void {
  releaseReasoning(choice, lanes, out)
  const { text, calls } = lanes
  if (text.isHolding) out.push({ type: 'text-delta', choice, text: text.end() })
  for (const [index, lane] of calls) {
    if (lane.isHolding) out.push({ type: 'tool-call-delta', choice, index, arguments: lane.end() })
  }
}
