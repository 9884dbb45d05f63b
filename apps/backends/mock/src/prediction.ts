import type { PredictOptions } from '@svc/backend-client/proto'
import type { MockBehaviour } from './script.ts'
import { splitWords } from './words.ts'

/** A prediction before it becomes replies. */
export interface Prediction {
  readonly reasoning: string
  /** The sent bytes; a border may lie inside a character. */
  readonly pieces: readonly Uint8Array[]
  readonly repeat: number
  readonly toolCalls: ReadonlyArray<{ readonly id: string; readonly name: string; readonly arguments: string }>
  readonly via: 'text' | 'deltas' | 'both'
  readonly promptTokens: number
  readonly completionTokens: number
  /** Index in `StopPrompts` of the text at which it ends. */
  readonly stop: number | undefined
  /** Number of alternatives reported for each token; `undefined`: no log probabilities. */
  readonly alternatives: number | undefined
}

/** The text that a prediction continues: the rendered prompt, or the messages one a line. */
export function toPrompt({ Prompt, Messages }: PredictOptions): string {
  return Prompt || Messages.map(({ content }) => content).join('\n')
}

/** Plans a prediction from the script and the limits of the request. */
export function planPrediction(request: PredictOptions, behaviour: MockBehaviour): Prediction {
  const { reasoning = '', via = 'text', repeat = 1 } = behaviour
  const { words, stop } = behaviour.pieces
    ? { words: [...behaviour.pieces], stop: undefined }
    : limit(behaviour.text ?? '', request)
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
    stop,
    toolCalls,
    via,
    promptTokens: behaviour.promptTokens ?? splitWords(toPrompt(request)).length,
    completionTokens:
      behaviour.completionTokens ?? words.length * repeat + splitWords(reasoning).length + toolCalls.length,
    alternatives: wantsLogprobs ? request.TopLogprobs : undefined,
  }
}

/** Stops at the first stop text and at the token limit. */
function limit(text: string, { StopPrompts, Tokens }: PredictOptions): { words: string[]; stop: number | undefined } {
  const [first] = StopPrompts.map((word, index) => ({ index, at: word === '' ? -1 : text.indexOf(word) }))
    .filter(({ at }) => at >= 0)
    .sort((one, other) => one.at - other.at)
  const words = splitWords(text.slice(0, first?.at ?? text.length))
  const isCut = Tokens > 0 && words.length > Tokens
  return { words: isCut ? words.slice(0, Tokens) : words, stop: isCut ? undefined : first?.index }
}

function splitPieces(words: readonly string[], split: MockBehaviour['split']): Uint8Array[] {
  if (split === 'bytes') return [...Buffer.from(words.join(''))].map((byte) => Uint8Array.of(byte))
  const pieces = split === 'characters' ? [...words.join('')] : words
  return pieces.map((piece) => Buffer.from(piece))
}
