import { setImmediate } from 'node:timers/promises'
import type { PredictionStep, StepBatches } from '../core/events.ts'
import type { GenerationRequest } from '../core/request.ts'
import { type KeptReply, MAX_REPLY_BYTES } from './reply-store.ts'

/** Bytes of a step beside its text, about. */
const STEP_BYTES = 48
/** Batches after which a replay lets other work run. */
const BATCHES_AT_ONCE = 64

type Batch = readonly PredictionStep[]

/**
 * Hands the steps of a reply on, and gives them to `keep` at their end if the reply is complete: every choice ended by
 * itself, nothing was warned of and no tool ran here. The last read ends only when the reply is kept.
 */
export async function* recordReply(
  source: StepBatches,
  request: GenerationRequest,
  keep: (batches: KeptReply['batches']) => void,
): StepBatches {
  const recording = new Recording(countChoices(request))
  for await (const batch of source) {
    recording.add(batch)
    yield batch
  }
  if (recording.isComplete) keep(recording.batches)
}

/** Gives a kept reply as a live one comes: batch by batch, as fast as its reader takes it. */
export async function* replayReply({ batches }: KeptReply, signal: AbortSignal): StepBatches {
  for (const [index, batch] of batches.entries()) {
    if (index % BATCHES_AT_ONCE === 0) await setImmediate()
    signal.throwIfAborted()
    yield batch
  }
}

const countChoices = (request: GenerationRequest): number =>
  request.choices * (request.kind === 'chat' ? 1 : request.prompts.length)

class Recording {
  batches: Batch[] = []
  readonly #choices: number
  #bytes = 0
  #ended = 0
  #hasUsage = false
  #isFit = true

  constructor(choices: number) {
    this.#choices = choices
  }

  get isComplete(): boolean {
    return this.#isFit && this.#hasUsage && this.#ended === this.#choices
  }

  add(batch: Batch): void {
    if (!this.#isFit) return
    const kept = batch.filter((step) => step.type !== 'progress')
    for (const step of kept) this.#take(step)
    if (kept.length > 0) this.batches.push(kept)
    if (this.#bytes > MAX_REPLY_BYTES) this.#isFit = false
    if (!this.#isFit) this.batches = []
  }

  #take(step: PredictionStep): void {
    this.#bytes += STEP_BYTES
    switch (step.type) {
      case 'text-delta':
        this.#bytes += step.text.length
        // Alternatives of tokens are most of such a reply.
        for (const { top_logprobs } of step.logprobs ?? []) this.#bytes += STEP_BYTES * (1 + top_logprobs.length)
        return
      case 'reasoning-delta':
        this.#bytes += step.text.length
        return
      case 'reasoning-signature':
        this.#bytes += step.signature.length
        return
      case 'redacted-reasoning':
        this.#bytes += step.data.length
        return
      case 'tool-call-delta':
        this.#bytes += step.arguments.length
        return
      case 'tool-call-start':
        return
      case 'choice-end':
        this.#ended += 1
        if (step.finishReason !== 'stop' && step.finishReason !== 'tool_calls') this.#isFit = false
        return
      case 'usage':
        this.#hasUsage = true
        return
      default:
        this.#isFit = false
    }
  }
}
