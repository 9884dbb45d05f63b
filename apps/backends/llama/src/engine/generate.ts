import type { SlotLease, SlotPool } from '@svc/backend-kit'
import type { Token } from 'node-llama-cpp'
import { type AnswerPart, createAnswerText } from './answer-text.ts'
import type { Batcher, Sequence } from './batcher.ts'
import { createChannel } from './channel.ts'
import { createGrammarGuide, type GrammarGuide, type GrammarModel, type GrammarRequest } from './grammar.ts'
import type { NativeContext } from './native.ts'
import { chooseSlot, type PrefixCache } from './prefix-cache.ts'
import { type PromptPlan, planPrompt, type SlotLimits } from './prompt-plan.ts'
import { type Sampling, type SamplingRequest, toSampling } from './sampling.ts'
import { type Choice, createTokenChooser } from './token-chooser.ts'
import type { Tokenizer } from './tokenizer.ts'
import { createUsageMeter, type Usage, type UsageMeter } from './usage.ts'

/** A prompt to continue. */
export interface GenerateRequest {
  readonly prompt: readonly Token[]
  /** Most tokens of the answer; 0 or less: until the context is full. */
  readonly maxTokens: number
  /** Tokens at the beginning of the prompt that stay when a full context is trimmed; below 0: all of them. */
  readonly keep: number
  /** Whether a slot's remembered part of the prompt is reused. */
  readonly reusePrefix: boolean
  /** Texts that end the answer and are not part of it. */
  readonly stop: readonly string[]
  readonly sampling: SamplingRequest
  readonly grammar: GrammarRequest | undefined
  /** Number of the likeliest tokens to report at each position; undefined: no likelihoods. */
  readonly topLogprobs: number | undefined
}

/** The parts of a loaded model that generation uses. */
export interface Generator extends GrammarModel, SlotLimits {
  readonly context: NativeContext
  readonly batcher: Batcher
  readonly cache: PrefixCache
  readonly pool: SlotPool<Sequence>
  readonly tokenizer: Tokenizer
  /** Least remembered share of a prompt for choosing a slot. */
  readonly similarity: number
  /** Tokens of a prompt that are read in one batch. */
  readonly biteTokens: number
  /** Frees the memory. No call may run any more. */
  close(): Promise<void>
}

/** A piece of the answer. */
export interface GeneratedPiece {
  /** Whole characters; may be empty in the last piece. */
  readonly text: string
  /** The tokens of this text, when likelihoods were requested. */
  readonly choices: readonly Choice[]
  /** Running totals. */
  readonly usage: Usage
  /** The stop string at which the answer ended, with the last piece. */
  readonly stop: string | undefined
  /** Slot of the answer, from 0. */
  readonly slot: number
}

/** Most pieces generated ahead of the reader. */
const PIECES_AHEAD = 32

/**
 * Continues a prompt. A piece is yielded as soon as its text is certain; the last one carries the final figures. Ends
 * at an end-of-generation token, a stop string, the end of the grammar, the token limit or a full context.
 *
 * @throws LlamaError `invalid_request` when the prompt does not fit; the signal's reason when it aborts, after at most
 *   one more evaluation
 */
export async function* generate(
  generator: Generator,
  request: GenerateRequest,
  { signal }: { readonly signal: AbortSignal },
): AsyncGenerator<GeneratedPiece, void, void> {
  // Checked before taking a slot: a bad request must not wait in the queue.
  const plan = planPrompt(request, generator)
  const sampling = toSampling(request.sampling, generator)
  const grammar = request.grammar && createGrammarGuide(request.grammar, generator)
  const choose = (free: readonly Sequence[]): number =>
    chooseSlot(free, request.reusePrefix ? plan.prompt : [], generator)
  const lease = await generator.pool.acquire({ signal, choose })
  const left = new AbortController()
  const pieces = createChannel<GeneratedPiece>(PIECES_AHEAD)
  const answer = { request, plan, sampling, grammar, lease, signal: AbortSignal.any([signal, left.signal]) }
  const writing = writeAnswer(generator, answer, pieces.push).then(() => pieces.end(), pieces.end)
  try {
    yield* pieces.items()
  } finally {
    left.abort()
    pieces.end()
    await writing
    lease.release()
  }
}

interface Answer {
  readonly request: GenerateRequest
  readonly plan: PromptPlan
  readonly sampling: Sampling
  readonly grammar: GrammarGuide | undefined
  readonly lease: SlotLease<Sequence>
  readonly signal: AbortSignal
}

/** Writes an answer at the engine's speed, ahead of its reader. */
async function writeAnswer(
  generator: Generator,
  answer: Answer,
  push: (piece: GeneratedPiece) => Promise<void>,
): Promise<void> {
  const { request, plan, lease, grammar, signal } = answer
  const history = [...plan.prompt]
  const meter = createUsageMeter(plan.prompt.length)
  const text = createAnswerText({ detokenize: generator.tokenizer.detokenize, prompt: plan.prompt, stop: request.stop })
  const give = ({ text, choices, stop }: AnswerPart): Promise<void> =>
    push({ text, choices, stop, usage: meter.read(), slot: lease.index })
  const chooser = createTokenChooser({
    native: generator.native,
    context: generator.context,
    vocabularySize: generator.tokenizer.size,
    sampling: answer.sampling,
    grammar,
    topLogprobs: request.topLogprobs,
    history,
  })
  try {
    for await (const choice of chooseTokens(generator, answer, { choose: chooser.choose, meter })) {
      history.push(choice.token)
      meter.count()
      const part = text.push(choice)
      if (part.stop !== undefined) return await give(part)
      if (part.text !== '' || part.choices.length > 0) await give(part)
      if (grammar?.complete === true) break
    }
    signal.throwIfAborted()
    await give(text.flush())
  } finally {
    await chooser.close()
  }
}

/** The tokens of an answer up to its limit, without the end token. */
async function* chooseTokens(
  generator: Generator,
  { request, plan, lease, signal }: Answer,
  { choose, meter }: { readonly choose: (index: number) => Promise<Choice>; readonly meter: UsageMeter },
): AsyncGenerator<Choice, void, void> {
  const { batcher, cache, tokenizer, contextSize } = generator
  const sequence = lease.slot
  const ends = new Set(tokenizer.endTokens())
  // At least one token must be read to have scores to choose from.
  const known = await cache.align(sequence, plan.prompt, request.reusePrefix ? plan.prompt.length - 1 : 0)
  meter.reuse(known)
  let unread: readonly Token[] = plan.prompt.slice(known)
  for (let made = 0; made < plan.limit; made++) {
    if (sequence.tokens.length + unread.length > contextSize) await cache.takeOut(sequence, plan.keep, plan.discard)
    let choice: Choice | undefined
    const read = async (index: number): Promise<void> => {
      choice = await choose(index)
    }
    await batcher.decode({ sequence, tokens: unread, read, signal })
    meter.promptDone()
    signal.throwIfAborted()
    if (choice === undefined || ends.has(choice.token)) return
    yield choice
    unread = [choice.token]
  }
}
