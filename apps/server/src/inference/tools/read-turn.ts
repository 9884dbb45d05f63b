import { type FinishReason, NO_USAGE, type PredictionStep, type StepBatches, type Usage } from '../core/events.ts'
import type { ChatRequest, ToolCall } from '../core/request.ts'

/** A block of thoughts that only its upstream takes back. */
export type SignedThought =
  | { readonly type: 'thinking'; readonly thinking: string; readonly signature: string }
  | { readonly type: 'redacted_thinking'; readonly data: string }

/** What a model said in one turn. */
export interface Turn {
  readonly text: string
  readonly reasoning: string
  readonly thoughts: readonly SignedThought[]
  /** Calls in the order in which they began. */
  readonly calls: readonly ToolCall[]
  readonly finishReason: FinishReason
  readonly stopText: string | undefined
  readonly usage: Usage
}

/** The caller's own tools, and their calls in a reply of several turns. */
export interface OwnCalls {
  /** Names of the tools that the caller runs. */
  readonly names: ReadonlySet<string>
  /** Number of their calls so far. */
  count: number
}

/** Creates the account of the caller's tools, in the compatible format. */
export function createOwnCalls(tools: ChatRequest['tools'] = []): OwnCalls {
  return { names: new Set(tools.flatMap((tool) => readName(tool) ?? [])), count: 0 }
}

function readName(tool: unknown): string | undefined {
  const { function: described } = (tool ?? {}) as { readonly function?: { readonly name?: unknown } }
  return typeof described?.name === 'string' ? described.name : undefined
}

/**
 * Reads a turn. Everything passes but the calls of tools that the caller does not run, the end of the choice and the
 * usage: those belong to the whole reply.
 */
export async function* readTurn(batches: StepBatches, own: OwnCalls): AsyncGenerator<readonly PredictionStep[], Turn> {
  const reader = createTurnReader(own)
  for await (const batch of batches) {
    const shown = batch.flatMap((step) => reader.take(step) ?? [])
    if (shown.length > 0) yield shown
  }
  return reader.turn()
}

interface ReadCall {
  id: string
  readonly name: string
  arguments: string
  /** The place among the calls of the caller's own tools. */
  readonly shownAs: number | undefined
}

function createTurnReader(own: OwnCalls) {
  const calls = new Map<number, ReadCall>()
  const thoughts: SignedThought[] = []
  let text = ''
  let reasoning = ''
  /** Thoughts since the last signature. */
  let unsigned = ''
  let end: { readonly finishReason: FinishReason; readonly stopText?: string | undefined } = { finishReason: 'stop' }
  let usage: Usage = NO_USAGE

  function start(step: Extract<PredictionStep, { type: 'tool-call-start' }>): PredictionStep | undefined {
    const shownAs = own.names.has(step.name) ? own.count : undefined
    if (shownAs !== undefined) own.count += 1
    calls.set(step.index, { id: step.id, name: step.name, arguments: '', shownAs })
    return shownAs === undefined ? undefined : { ...step, index: shownAs }
  }

  function take(step: PredictionStep): PredictionStep | undefined {
    switch (step.type) {
      case 'usage':
        usage = step.usage
        return undefined
      case 'choice-end':
        end = step
        return undefined
      case 'tool-call-start':
        return start(step)
      case 'tool-call-delta': {
        const call = calls.get(step.index)
        if (call === undefined) return undefined
        call.arguments += step.arguments
        return call.shownAs === undefined ? undefined : { ...step, index: call.shownAs }
      }
      case 'text-delta':
        if (step.prompt === undefined) text += step.text
        return step
      case 'reasoning-delta':
        reasoning += step.text
        unsigned += step.text
        return step
      case 'reasoning-signature':
        thoughts.push({ type: 'thinking', thinking: unsigned, signature: step.signature })
        unsigned = ''
        return step
      case 'redacted-reasoning':
        thoughts.push({ type: 'redacted_thinking', data: step.data })
        return step
      default:
        return step
    }
  }

  return {
    take,
    turn: (): Turn => ({
      text,
      reasoning,
      thoughts,
      calls: [...calls.values()].map(({ id, name, arguments: args }) => ({ id, name, arguments: args })),
      finishReason: end.finishReason,
      stopText: end.stopText,
      usage,
    }),
  }
}
