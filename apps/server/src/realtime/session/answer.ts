import { SvcError } from '@svc/errors'
import type { AnyToAnyPart, ClassifierResult, PipelineStages, StageCall, StageMessage } from '../ports.ts'
import { dropSamples, type Item, type ItemPart } from './conversation.ts'
import { failedStage } from './event-error.ts'
import { readApprovals, toMessages } from './history.ts'
import { openCall } from './output-calls.ts'
import { type OutputMessage, openMessage } from './output-message.ts'
import type { Response, ResponseEnd } from './response.ts'
import type { AnswerSettings } from './settings.ts'
import { createTurnWriter, type TurnWriterParts } from './turn-writer.ts'
import type { SoundSink, Voice } from './voice.ts'

/** Parts of {@link answer}. */
export interface AnswerParts {
  readonly response: Response
  readonly stages: PipelineStages
  readonly call: StageCall
  /** The items that the model reads. */
  readonly items: readonly Item[]
  readonly openVoice: (message: OutputMessage) => Voice
  readonly openSink: (message: OutputMessage) => SoundSink
  readonly listTools: TurnWriterParts['listTools']
  readonly onText: () => void
  readonly onHeard: () => void
  /** Writes the items as messages, shortened where the pipeline shortens. */
  readonly readHistory: (items: readonly Item[], call: StageCall) => Promise<readonly StageMessage[]>
  readonly onClassified: (result: ClassifierResult) => void
}

/**
 * Lets the models answer. Everything is in the conversation when it resolves.
 *
 * @throws the failure of a stage, with the code of the stage
 */
export async function answer(parts: AnswerParts): Promise<ResponseEnd> {
  await waitUntilHeard(parts.items, parts.call.signal)
  parts.onHeard()
  if (wasNoise(parts)) return { status: 'completed' }
  return parts.stages.facts.isAnyToAny ? converse(parts) : think(parts)
}

/** Waits until all speech is written down. Only the failure of the latest speech counts. @throws `transcription_failed` */
async function waitUntilHeard(items: readonly Item[], signal: AbortSignal): Promise<void> {
  for (const [index, item] of items.entries()) {
    const { heard } = item
    if (heard === undefined) continue
    try {
      await heard
    } catch (error) {
      if (index === items.length - 1) throw error
    } finally {
      item.heard = undefined
    }
  }
  signal.throwIfAborted()
}

/** Whether the turn to answer was found by its sound and has no words. */
function wasNoise({ items, stages }: AnswerParts): boolean {
  const turn = items.at(-1)
  if (turn?.wasDetected !== true || !stages.facts.transcribes) return false
  const content = turn.fields.content as readonly ItemPart[]
  return content.every(({ transcript }) => transcript === '')
}

async function think(parts: AnswerParts): Promise<ResponseEnd> {
  const { response, stages, call, items, openVoice } = parts
  const { settings } = response
  const approvals = readApprovals(items)
  const writer = createTurnWriter({
    ...parts,
    openVoice: settings.modality === 'audio' ? openVoice : undefined,
    isAnswered: (id) => approvals.has(id),
  })
  const history = await parts.readHistory(items, call)
  const request = {
    speaker: items.findLast(({ fields }) => fields.role === 'user')?.speaker,
    onClassified: parts.onClassified,
    messages: withInstructions(history, settings),
    ...toTools(settings),
    approvals,
    maxTokens: settings.maxOutputTokens === 'inf' ? undefined : settings.maxOutputTokens,
    temperature: settings.temperature,
  }
  for await (const events of guard(stages.think(request, call), 'processing_error')) {
    for (const event of events) {
      await writer.add(event)
      call.signal.throwIfAborted()
    }
  }
  return writer.end()
}

function withInstructions(history: readonly StageMessage[], { instructions }: AnswerSettings): StageMessage[] {
  return instructions === '' ? [...history] : [{ role: 'system', content: instructions }, ...history]
}

/** Functions as the chat format lists them; a choice of one tool of a server leaves the word to the model. */
function toTools({ tools, toolChoice }: AnswerSettings) {
  const own = tools.flatMap((tool) => {
    if (tool.type !== 'function') return []
    const { name, description, parameters } = tool
    const optional = { ...(description == null ? {} : { description }), ...(parameters == null ? {} : { parameters }) }
    return [{ type: 'function', function: { name, ...optional } }]
  })
  const hostedTools = tools.filter(({ type }) => type === 'mcp')
  const isNone = toolChoice === 'none'
  return {
    tools: isNone ? [] : own,
    hostedTools: isNone ? [] : hostedTools,
    toolChoice: toChoice(toolChoice, tools.length),
  }
}

function toChoice(choice: AnswerSettings['toolChoice'], tools: number): unknown {
  if (choice === 'none') return 'none'
  if (choice === 'auto' || tools === 0) return undefined
  if (typeof choice === 'string') return choice
  return choice.type === 'function' ? { type: 'function', function: { name: choice.name } } : 'auto'
}

/** One turn of a model that hears and speaks. */
async function converse(parts: AnswerParts): Promise<ResponseEnd> {
  const { response, stages, call, items, openSink, onText } = parts
  const { settings, output } = response
  const heard = items.findLast((item) => item.samples !== undefined)
  const samples = heard?.samples
  if (samples === undefined)
    throw new SvcError('invalid_request', 'this model answers speech only', { code: 'processing_error' })
  let message: OutputMessage | undefined
  let sink: SoundSink | undefined
  const open = (): OutputMessage => {
    message ??= openMessage(output, settings.modality === 'audio' ? 'audio' : 'text')
    return message
  }
  const turn = {
    samples,
    instructions: settings.instructions,
    voice: settings.output.voice,
    tools: toTools(settings).tools,
    history: toMessages(
      items.filter((item) => item !== heard),
      stages.facts.maxHistoryItems,
    ),
  }
  async function add(part: AnyToAnyPart): Promise<void> {
    if (part.type === 'transcript') {
      onText()
      await open().text(part.text)
    } else if (part.type === 'audio') {
      if (settings.modality === 'text') return
      sink ??= openSink(open())
      const { item } = open()
      item.spokenMs = (item.spokenMs ?? 0) + (part.samples.length / part.sampleRate) * 1000
      await sink.play(part.samples, part.sampleRate)
    } else {
      const opened = openCall(output, { callId: part.id, name: part.name })
      await opened.arguments(part.arguments)
      opened.end('completed')
    }
  }
  for await (const part of guard(stages.converse(turn, call), 'processing_error')) {
    await add(part)
    call.signal.throwIfAborted()
  }
  await sink?.end()
  message?.end('completed')
  for (const item of items) dropSamples(item)
  return { status: 'completed' }
}

/** Gives failures of a stage its code. */
async function* guard<T>(source: AsyncIterable<T>, code: string): AsyncGenerator<T> {
  try {
    yield* source
  } catch (error) {
    throw failedStage(code, error)
  }
}
