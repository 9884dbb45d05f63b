import type { LlamaContextSequence, Token } from 'node-llama-cpp'
import { invalidRequest } from '../errors.ts'
import type { Gate } from './gate.ts'
import type { Pace } from './pace.ts'
import { type SamplingModel, type SamplingRequest, toEvaluateOptions } from './sampling.ts'
import type { SlotPool } from './sequences.ts'
import { createStopScanner } from './stop.ts'
import type { Tokenizer } from './tokenizer.ts'
import { createUsageMeter, type Usage, type UsageMeter } from './usage.ts'
import { createTokenText } from './utf8.ts'

/** A prompt to continue. */
export interface GenerateRequest {
  readonly prompt: readonly Token[]
  /** Most tokens of the answer; 0 or less: until the context is full. */
  readonly maxTokens: number
  /** Texts that end the answer and are no part of it. */
  readonly stop: readonly string[]
  readonly sampling: SamplingRequest
}

/** What generation needs of a loaded model. */
export interface Generator extends SamplingModel {
  readonly pool: SlotPool<LlamaContextSequence>
  readonly pace: Pace
  /** Newcomers pause the others with it while they need the context for themselves. */
  readonly gate: Gate
}

/** A piece of the answer. */
export interface GeneratedPiece {
  /** Whole characters; may be empty in the last piece. */
  readonly text: string
  /** Running totals. */
  readonly usage: Usage
  /** Slot that made it, from 0. */
  readonly slot: number
}

/**
 * Continues a prompt; pieces come as soon as their text is certain, and the last one carries the final figures.
 * Ends at an end-of-generation token, a stop string, the token limit or a full context.
 *
 * @throws LlamaError `invalid_request` where the prompt does not fit; the signal's reason when it aborts, after at
 * most one more evaluation
 */
export async function* generate(
  generator: Generator,
  request: GenerateRequest,
  { signal }: { readonly signal: AbortSignal },
): AsyncGenerator<GeneratedPiece, void, void> {
  const limit = countRoom(request, generator.contextSize)
  const history = [...request.prompt]
  // Before the slot is taken: a bad request must not wait in line.
  const options = toEvaluateOptions(request.sampling, generator, history)
  const lease = await generator.pool.acquire({ signal })
  try {
    await generator.gate.hold(() => lease.slot.clearHistory())
    const meter = createUsageMeter(request.prompt.length)
    const last = await readPrompt(lease.slot, request.prompt, { pace: generator.pace, signal })
    const tokens = lease.slot.evaluate(last, options)
    const answer = { tokens, history, limit, meter, stop: request.stop, signal, gate: generator.gate }
    for await (const text of writeAnswer(generator.tokenizer, answer))
      yield { text, usage: meter.read(), slot: lease.index }
  } finally {
    lease.release()
  }
}

/** Tokens the answer may have: prompt and answer together fill the context at most. */
function countRoom(request: GenerateRequest, contextSize: number): number {
  const { length } = request.prompt
  if (length === 0) throw invalidRequest('the prompt is empty', 'Prompt')
  if (length >= contextSize) {
    throw invalidRequest(`the prompt has ${length} tokens, the context holds ${contextSize}`, 'Prompt')
  }
  const room = contextSize - length
  return request.maxTokens > 0 ? Math.min(request.maxTokens, room) : room
}

/** Reads all of the prompt but its last bite, which is left to be read together with the first choice. */
async function readPrompt(
  sequence: LlamaContextSequence,
  prompt: readonly Token[],
  { pace, signal }: { readonly pace: Pace; readonly signal: AbortSignal },
): Promise<Token[]> {
  const end = pace.begin()
  try {
    let start = 0
    while (true) {
      signal.throwIfAborted()
      const bite = pace.nextBite()
      if (prompt.length - start <= bite) return prompt.slice(start)
      await sequence.evaluateWithoutGeneratingNewTokens(prompt.slice(start, start + bite))
      start += bite
    }
  } finally {
    end()
  }
}

interface Answer {
  readonly tokens: AsyncIterable<Token>
  /** Prompt and answer so far; grows with every token. */
  readonly history: Token[]
  readonly limit: number
  readonly meter: UsageMeter
  readonly stop: readonly string[]
  readonly signal: AbortSignal
  readonly gate: Gate
}

async function* writeAnswer(tokenizer: Tokenizer, answer: Answer): AsyncGenerator<string, void, void> {
  const tokenText = createTokenText(tokenizer.detokenize, answer.history)
  const scanner = createStopScanner(answer.stop)
  let made = 0
  for await (const token of answer.tokens) {
    answer.meter.promptDone()
    answer.signal.throwIfAborted()
    answer.history.push(token)
    answer.meter.count()
    made++
    const piece = scanner.push(tokenText.push(token))
    if (piece.stopped) return yield piece.text
    if (piece.text !== '') yield piece.text
    if (made >= answer.limit) break
    await answer.gate.pass()
  }
  answer.signal.throwIfAborted()
  const rest = scanner.push(tokenText.flush())
  yield rest.stopped ? rest.text : rest.text + scanner.flush()
}
