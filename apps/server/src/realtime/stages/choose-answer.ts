import type { ModelConfig } from '../../catalog/model-config.ts'
import type { PredictionEvent } from '../../inference/core/events.ts'
import { NO_USAGE } from '../../inference/core/events.ts'
import type { ScoreResult } from '../../inference/operations/operation.ts'
import { toOperationCall } from '../../inference/replies/wire-format.ts'
import type { Clock } from '../../ports.ts'
import type { ClassifierResult, StageCall, StageMessage } from '../ports.ts'
import { NO_FACTS, type PartAsker } from './ask-part.ts'
import { readMessageText } from './message-text.ts'

/** The `classifier` block of a pipeline. */
export type ClassifierSettings = NonNullable<NonNullable<ModelConfig['pipeline']>['classifier']>

type Option = NonNullable<ClassifierSettings['options']>[number]

/** What the list says to a turn: events of a canned answer, or `generate` for one of the language model. */
export interface ChosenAnswer {
  readonly result: ClassifierResult
  readonly answer: 'generate' | readonly PredictionEvent[]
}

/** Options of {@link createChooser}. */
export interface ChooserParts {
  readonly settings: ClassifierSettings
  readonly asker: PartAsker
  readonly findModel: () => ModelConfig
  readonly clock: Pick<Clock, 'monotonic'>
}

/** Picks answers from the list of a pipeline: a model scores which of them fits what was said, and writes nothing. */
export function createChooser({ settings, asker, findModel, clock }: ChooserParts) {
  const { threshold = 0, options = [], address, fallback, historyItems = 0 } = settings

  async function score(messages: readonly StageMessage[], call: StageCall): Promise<ClassifierResult['scores']> {
    const body = {
      prompt: writePrompt(options, messages, historyItems),
      candidates: options.map(({ id = '' }) => ` ${id}`),
    }
    const lengthNormalize = settings.normalization === 'mean'
    const results = asker.serve<ScoreResult>(
      {
        model: findModel(),
        usecase: 'score',
        body,
        scanned: 'score',
        read: async ({ root }) =>
          toOperationCall<'score'>(
            {
              kind: 'score',
              prompt: root.get('prompt')?.text() ?? '',
              candidates: body.candidates,
              lengthNormalize,
              tokenLogprobs: false,
            },
            (result) => result,
          ),
        async deliver(reply, give) {
          if (reply.kind === 'json') await give(reply.body(NO_FACTS) as ScoreResult)
        },
      },
      call,
    )
    let candidates: ScoreResult['candidates'] = []
    // to its end: who leaves early cancels the request
    for await (const result of results) candidates = result.candidates
    if (candidates.length === 0) return []
    const shares = softmax(
      candidates.map((one) => (lengthNormalize ? (one.lengthNormalizedLogProb ?? one.logProb) : one.logProb)),
    )
    return options.map(({ id = '' }, index) => ({ id, score: shares[index] ?? 0 }))
  }

  return async (messages: readonly StageMessage[], call: StageCall): Promise<ChosenAnswer> => {
    const startedAt = clock.monotonic()
    const said = readMessageText(messages.findLast(({ role }) => role === 'user') ?? {})
    const fail = (why: ClassifierResult['fallback'], scores: ClassifierResult['scores'] = []): ClassifierResult => ({
      scores,
      chosen: '',
      threshold,
      fallback: why,
      latencyMs: clock.monotonic() - startedAt,
    })
    if (said.trim() === '') return { result: fail('no_words'), answer: toFallback(fallback) }
    if (!isAddressed(said, address?.names ?? []))
      return { result: fail('not_addressed'), answer: toUnaddressed(address) }
    const scores = await score(messages, call)
    const best = scores.reduce<(typeof scores)[number] | undefined>(
      (top, one) => (one.score > (top?.score ?? -1) ? one : top),
      undefined,
    )
    const option = options.find(({ id }) => id === best?.id)
    if (best === undefined || option === undefined || best.score < threshold) {
      return { result: fail('below_threshold', scores), answer: toFallback(fallback) }
    }
    const latencyMs = clock.monotonic() - startedAt
    return { result: { scores, chosen: best.id, threshold, latencyMs }, answer: toAnswer(option.reply, option.tool) }
  }
}

/** Whether the list answers a turn: results of tools are for the language model. */
export function isChoosable(messages: readonly StageMessage[]): boolean {
  return messages.at(-1)?.role === 'user'
}

function writePrompt(options: readonly Option[], messages: readonly StageMessage[], historyItems: number): string {
  const spoken = messages
    .filter(({ role }) => role === 'user' || role === 'assistant')
    .slice(-Math.max(1, historyItems))
  const turns = spoken.map(
    (message) => `${message.role === 'user' ? 'User' : 'Assistant'}: ${readMessageText(message).trim()}`,
  )
  const list = options.map(({ id = '', description = '' }) => `- ${id}: ${description}`)
  return ['Pick the option that fits what the user says last.', 'Options:', ...list, '', ...turns, 'Option:'].join('\n')
}

/** Whether a text holds one of the names as whole words, in any case. */
function isAddressed(text: string, names: readonly string[]): boolean {
  const words = toWords(text)
  return names.length === 0 || names.some((name) => toWords(name).trim() !== '' && words.includes(toWords(name)))
}

/** Shares of one, by the exponents of values. */
function softmax(values: readonly number[]): number[] {
  const largest = Math.max(...values)
  const weights = values.map((value) => Math.exp(value - largest))
  const sum = weights.reduce((total, weight) => total + weight, 0)
  return weights.map((weight) => weight / sum)
}

/** Words between single spaces, with one at each end. */
const toWords = (text: string): string => ` ${(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).join(' ')} `

function toUnaddressed(address: ClassifierSettings['address']): readonly PredictionEvent[] {
  return toAnswer(address?.mode === 'reply' ? address.reply : undefined, undefined)
}

function toFallback({ mode, reply }: NonNullable<ClassifierSettings['fallback']> = {}): ChosenAnswer['answer'] {
  if (mode === 'generate') return 'generate'
  return toAnswer(mode === 'reply' ? reply : undefined, undefined)
}

/** Writes a canned answer as a model would. */
function toAnswer(reply: string | undefined, tool: Option['tool']): readonly PredictionEvent[] {
  const events: PredictionEvent[] = []
  if (reply !== undefined && reply !== '') events.push({ type: 'text-delta', choice: 0, text: reply })
  if (tool?.name !== undefined && tool.name !== '') {
    const call = { choice: 0, index: 0 }
    events.push({
      type: 'tool-call-start',
      ...call,
      id: `call_${crypto.randomUUID().replaceAll('-', '')}`,
      name: tool.name,
    })
    events.push({ type: 'tool-call-delta', ...call, arguments: JSON.stringify(tool.arguments ?? {}) })
  }
  const finishReason = tool?.name ? 'tool_calls' : 'stop'
  events.push({ type: 'choice-end', choice: 0, finishReason }, { type: 'usage', usage: NO_USAGE })
  return events
}
