import type { Completion, CompletionFinishReason, CompletionLogprobs } from '@svc/wire/openai'
import { type FinishReason, NO_USAGE, type PredictionEvent, type Usage } from '../../../../inference/core/events.ts'
import type { ReplyCollector, ReplyFacts } from '../../../../inference/replies/wire-format.ts'
import { toCompletionUsage } from '../chat/usage.ts'
import { appendLogprobs, createLogprobWriter, type LogprobWriter } from './logprobs.ts'

interface Choice {
  text: string
  readonly writer: LogprobWriter
  logprobs: CompletionLogprobs | null
  finishReason: CompletionFinishReason
}

/** Gathers predictions of all prompts into one `text_completion` body. */
export function collectCompletion(
  facts: ReplyFacts,
  options: { readonly choices: number; readonly alternatives: number | undefined },
): ReplyCollector {
  const gathered: Choice[] = Array.from({ length: options.choices }, () => ({
    text: '',
    writer: createLogprobWriter(options.alternatives),
    logprobs: null,
    finishReason: 'stop',
  }))
  let usage: Usage = NO_USAGE
  return {
    event(event) {
      if (event.type === 'usage') usage = event.usage
      else addTo(gathered[event.choice], event)
    },
    body: () => toBody(facts, gathered, usage),
  }
}

/** This format has no place for reasoning and tool calls. */
function addTo(choice: Choice | undefined, event: PredictionEvent): void {
  if (choice === undefined) return
  if (event.type === 'choice-end') choice.finishReason = toFinishReason(event.finishReason)
  if (event.type !== 'text-delta') return
  choice.text += event.text
  const added = choice.writer.piece(event)
  if (added === null) return
  if (choice.logprobs === null) choice.logprobs = added
  else appendLogprobs(choice.logprobs, added)
}

/** A completion calls no tools: a call that the backend found counts as a normal end. */
export function toFinishReason(reason: FinishReason): CompletionFinishReason {
  return reason === 'tool_calls' ? 'stop' : reason
}

function toBody(facts: ReplyFacts, gathered: readonly Choice[], usage: Usage): Completion {
  return {
    id: facts.requestId,
    object: 'text_completion',
    created: facts.created,
    model: facts.model,
    choices: gathered.map(({ text, logprobs, finishReason }, index) => ({
      index,
      text,
      finish_reason: finishReason,
      logprobs,
    })),
    usage: toCompletionUsage(usage, facts.extraUsage),
  }
}
