import type { PredictOptions } from '@svc/backend-client/proto'
import type { MockBehaviour } from './script.ts'
import { splitWords } from './words.ts'

/** A prediction before it is put into replies. */
export interface Prediction {
  readonly reasoning: string
  /** Bytes as they are sent; their borders may lie inside a character. */
  readonly pieces: readonly Uint8Array[]
  readonly repeat: number
  readonly toolCalls: ReadonlyArray<{ readonly id: string; readonly name: string; readonly arguments: string }>
  readonly via: 'text' | 'deltas' | 'both'
  readonly promptTokens: number
  readonly completionTokens: number
  /** How many alternatives a token is reported with; `undefined`: no log probabilities. */
  readonly alternatives: number | undefined
}

/** The text a prediction continues: the rendered prompt, or the messages one a line. */
export function promptOf({ Prompt, Messages }: PredictOptions): string {
  return Prompt || Messages.map(({ content }) => content).join('\n')
}

/** Makes a prediction of what a script says and a request limits. */
export function planPrediction(request: PredictOptions, behaviour: MockBehaviour): Prediction {
  const { reasoning = '', via = 'text', repeat = 1 } = behaviour
  const words = behaviour.pieces ? [...behaviour.pieces] : limit(behaviour.text ?? '', request)
  const toolCalls = (behaviour.toolCalls ?? []).map((call, index) => ({
    id: call.id ?? `call_mock_${index}`,
    name: call.name,
    arguments: typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments),
  }))
  const wantsLogprobs = behaviour.logprobs ?? request.Logprobs > 0
  return {
    reasoning,
    pieces: splitPieces(words, behaviour.pieces ? undefined : behaviour.split),
    repeat,
    toolCalls,
    via,
    promptTokens: behaviour.promptTokens ?? splitWords(promptOf(request)).length,
    completionTokens:
      behaviour.completionTokens ?? words.length * repeat + splitWords(reasoning).length + toolCalls.length,
    alternatives: wantsLogprobs ? request.TopLogprobs : undefined,
  }
}

/** A model stops at a stop text and at the token limit. */
function limit(text: string, { StopPrompts, Tokens }: PredictOptions): string[] {
  const ends = StopPrompts.filter((stop) => stop !== '')
    .map((stop) => text.indexOf(stop))
    .filter((index) => index >= 0)
  const words = splitWords(text.slice(0, Math.min(text.length, ...ends)))
  return Tokens > 0 ? words.slice(0, Tokens) : words
}

function splitPieces(words: readonly string[], split: MockBehaviour['split']): Uint8Array[] {
  if (split === 'bytes') return [...Buffer.from(words.join(''))].map((byte) => Uint8Array.of(byte))
  const pieces = split === 'characters' ? [...words.join('')] : words
  return pieces.map((piece) => Buffer.from(piece))
}
