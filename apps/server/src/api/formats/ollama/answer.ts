import { encodeNdjson } from '@svc/wire/ndjson'
import type { OllamaLogprob } from '@svc/wire/ollama'
import type { FinishReason, PredictionEvent, TokenLogprob } from '../../../inference/core/events.ts'
import type { ReplyCollector, ReplyFacts, StreamEncoder } from '../../../inference/replies/wire-format.ts'
import type { Clock } from '../../../ports.ts'
import type { GenerationFields } from './fields.ts'
import { createStopwatch, type Figures } from './figures.ts'
import { gatherCalls, type OllamaCall } from './tool-calls.ts'

/** A piece of an answer, or the whole answer. */
export interface AnswerPiece {
  readonly text: string
  readonly thinking?: string | undefined
  readonly toolCalls?: readonly OllamaCall[] | undefined
}

/** Writes the answers of one route. */
export interface AnswerFormat {
  /** Gives the fields of a line for a piece. */
  piece(piece: AnswerPiece): object
  /** Gives further fields of the last line. @default none */
  last?: ((answer: string) => object) | undefined
}

/** Options of the encoders beside the facts of the reply. */
export interface AnswerOptions {
  readonly fields: GenerationFields
  readonly format: AnswerFormat
  readonly clock: Pick<Clock, 'now' | 'monotonic'>
}

type DoneReason = 'stop' | 'length'

/** A tool call ends an answer as `stop`. */
function toDoneReason(reason: FinishReason): DoneReason {
  return reason === 'length' ? 'length' : 'stop'
}

/** Writes an answer as JSON lines: one line for each piece, calls complete, figures in the last line. */
export function streamAnswer(facts: ReplyFacts, { fields, format, clock }: AnswerOptions): StreamEncoder {
  const stopwatch = createStopwatch(clock, fields.startedAt)
  const calls = gatherCalls()
  let reason: DoneReason = 'stop'
  let answer = ''
  const line = (piece: AnswerPiece, rest: object = { done: false }): string =>
    encodeNdjson({ ...head(facts, clock), ...format.piece(piece), ...rest })

  function encode(event: PredictionEvent): string {
    if (event.type !== 'usage') stopwatch.tick()
    switch (event.type) {
      case 'text-delta':
        answer += event.text
        return line({ text: event.text }, { done: false, ...toLogprobFields(event.logprobs, fields) })
      case 'reasoning-delta':
        return line({ text: '', thinking: event.text })
      case 'reasoning-signature':
      case 'redacted-reasoning':
      case 'server-tools':
      case 'server-tool-call':
      case 'server-tool-result':
      case 'server-tool-approval':
        return ''
      case 'tool-call-start':
      case 'tool-call-delta':
        calls.event(event)
        return ''
      case 'choice-end': {
        reason = toDoneReason(event.finishReason)
        const toolCalls = calls.calls({ wasCut: reason === 'length' })
        return toolCalls.length > 0 ? line({ text: '', toolCalls }) : ''
      }
      case 'usage':
        return line(
          { text: '' },
          toLastFields(fields, { reason, answer, format, figures: stopwatch.figures(event.usage) }),
        )
    }
  }

  return {
    contentType: 'application/x-ndjson',
    start: () => '',
    event: encode,
    end: () => '',
    error: ({ message }) => encodeNdjson({ error: message }),
  }
}

/** Gathers an answer into one body. */
export function collectAnswer(facts: ReplyFacts, { fields, format, clock }: AnswerOptions): ReplyCollector {
  const stopwatch = createStopwatch(clock, fields.startedAt)
  const calls = gatherCalls()
  const logprobs: OllamaLogprob[] = []
  let reason: DoneReason = 'stop'
  let text = ''
  let thinking = ''
  let figures: Figures | undefined
  return {
    event(event) {
      if (event.type !== 'usage') stopwatch.tick()
      switch (event.type) {
        case 'text-delta':
          text += event.text
          for (const entry of event.logprobs ?? []) logprobs.push(toWireLogprob(entry, fields.alternatives))
          break
        case 'reasoning-delta':
          thinking += event.text
          break
        case 'reasoning-signature':
        case 'redacted-reasoning':
        case 'server-tools':
        case 'server-tool-call':
        case 'server-tool-result':
        case 'server-tool-approval':
          break
        case 'tool-call-start':
        case 'tool-call-delta':
          calls.event(event)
          break
        case 'choice-end':
          reason = toDoneReason(event.finishReason)
          break
        case 'usage':
          figures = stopwatch.figures(event.usage)
          break
      }
    },
    body() {
      const toolCalls = calls.calls({ wasCut: reason === 'length' })
      const piece: AnswerPiece = {
        text,
        thinking: thinking === '' ? undefined : thinking,
        toolCalls: toolCalls.length > 0 ? toolCalls : undefined,
      }
      return {
        ...head(facts, clock),
        ...format.piece(piece),
        ...(logprobs.length > 0 ? { logprobs } : {}),
        ...toLastFields(fields, { reason, answer: text, format, figures: figures ?? stopwatch.figures() }),
      }
    },
  }
}

function head({ model }: ReplyFacts, clock: Pick<Clock, 'now'>): object {
  return { model, created_at: new Date(clock.now()).toISOString() }
}

interface AnswerEnd {
  readonly reason: DoneReason
  readonly answer: string
  readonly format: AnswerFormat
  readonly figures: Figures
}

/** An answer to an empty request has no figures. */
function toLastFields({ only }: GenerationFields, { reason, answer, format, figures }: AnswerEnd): object {
  if (only !== undefined) return { done: true, done_reason: only }
  return { done: true, done_reason: reason, ...figures, ...format.last?.(answer) }
}

function toLogprobFields(entries: readonly TokenLogprob[] | undefined, { alternatives }: GenerationFields): object {
  if (entries === undefined || entries.length === 0) return {}
  return { logprobs: entries.map((entry) => toWireLogprob(entry, alternatives)) }
}

function toWireLogprob(entry: TokenLogprob, alternatives: number): OllamaLogprob {
  const wire = ({ token, logprob, bytes }: Omit<TokenLogprob, 'top_logprobs'>) => ({
    token,
    logprob,
    ...(bytes === null ? {} : { bytes: [...bytes] }),
  })
  if (alternatives === 0) return wire(entry)
  return { ...wire(entry), top_logprobs: entry.top_logprobs.slice(0, alternatives).map(wire) }
}
