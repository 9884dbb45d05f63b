import { hash } from 'node:crypto'
import { SvcError } from '@svc/errors'
import type { ModelConfig } from '../../catalog/model-config.ts'
import type { StageCall, StageMessage } from '../ports.ts'
import type { PartAsker } from './ask-part.ts'
import { readMessageText } from './message-text.ts'
import { askChat } from './think.ts'

/** The `compaction` block of a pipeline. */
export type CompactionSettings = NonNullable<NonNullable<ModelConfig['pipeline']>['compaction']>

/** Options of {@link createCompaction}. */
export interface CompactionParts {
  readonly settings: CompactionSettings
  /** Items that stay as they are; 0 = {@link USUAL_WINDOW}. */
  readonly maxHistoryItems: number
  readonly asker: PartAsker
  readonly findModel: () => ModelConfig
}

/** Items that stay where the pipeline sets no window. */
const USUAL_WINDOW = 6
const USUAL_SUMMARY_TOKENS = 512
/** Characters of the text that is summarised; the oldest go first. */
const MAX_TEXT = 64 * 1024
/** The beginning of a summary. */
const HEADING = 'Summary of the conversation so far:'

const INSTRUCTIONS =
  'Write a short summary of this conversation for the assistant who goes on with it. Keep names, facts, wishes and open questions. Write nothing but the summary.'

/** A summary, and the messages that it stands for: the first ones of the conversation. */
interface Summary {
  readonly count: number
  readonly key: string
  readonly text: string
}

/**
 * Creates the stage that puts a summary in place of old messages, for one session. Once more than `trigger_items` are
 * not summed up, all but the latest are. The summary is remembered: it grows, and no message is summed up twice. System
 * messages stay first, and a call of a tool is never parted from its result.
 */
export function createCompaction({ settings, maxHistoryItems, asker, findModel }: CompactionParts) {
  const window = maxHistoryItems > 0 ? maxHistoryItems : USUAL_WINDOW
  const trigger = Math.max(settings.triggerItems ?? 2 * window, window + 1)
  let known: Summary | undefined

  /** Gives the summary of the conversation so far; undefined when its messages have changed. */
  function findKnown(spoken: readonly StageMessage[]): Summary | undefined {
    return known !== undefined && toKey(spoken.slice(0, known.count)) === known.key ? known : undefined
  }

  return async (messages: readonly StageMessage[], call: StageCall): Promise<readonly StageMessage[]> => {
    const instructions = messages.filter(({ role }) => role === 'system')
    const spoken = messages.filter(({ role }) => role !== 'system')
    const earlier = findKnown(spoken)
    const left = spoken.slice(earlier?.count ?? 0)
    const cut = left.length <= trigger ? 0 : findCut(left, left.length - window)
    if (cut > 0) known = await extend(earlier, spoken, { count: (earlier?.count ?? 0) + cut, call })
    const summary = cut > 0 ? known : earlier
    if (summary === undefined) return messages
    const note = { role: 'system', content: `${HEADING}\n${summary.text}` }
    return [...instructions, note, ...spoken.slice(summary.count)]
  }

  async function extend(
    earlier: Summary | undefined,
    spoken: readonly StageMessage[],
    { count, call }: { readonly count: number; readonly call: StageCall },
  ): Promise<Summary> {
    const added = spoken.slice(earlier?.count ?? 0, count).map(writeLine)
    const before = earlier === undefined ? [] : [`${HEADING}\n${earlier.text}`]
    const text = await summarize([...before, ...added].join('\n').slice(-MAX_TEXT), call)
    return { count, key: toKey(spoken.slice(0, count)), text }
  }

  async function summarize(text: string, call: StageCall): Promise<string> {
    const maxTokens = settings.maxSummaryTokens ?? USUAL_SUMMARY_TOKENS
    const chat = {
      model: findModel(),
      messages: [
        { role: 'system', content: INSTRUCTIONS },
        { role: 'user', content: text },
      ],
      options: { generation: { maxTokens }, thinking: false },
    }
    let summary = ''
    for await (const events of askChat(asker, chat, call)) {
      for (const event of events) if (event.type === 'text-delta') summary += event.text
    }
    if (summary.trim() !== '') return summary.trim()
    throw new SvcError('internal', 'the summary of the conversation is empty', { code: 'empty_summary' })
  }
}

const toKey = (messages: readonly StageMessage[]): string => hash('sha256', JSON.stringify(messages))

/** Moves a cut back to a message that is not the result of a call. */
function findCut(spoken: readonly StageMessage[], wanted: number): number {
  let cut = wanted
  while (cut > 0 && spoken[cut]?.role === 'tool') cut -= 1
  return cut
}

const NAMES: Readonly<Record<string, string>> = { user: 'User', assistant: 'Assistant', tool: 'Tool' }

function writeLine(message: StageMessage): string {
  return `${NAMES[String(message.role)] ?? 'User'}: ${readMessageText(message)}`
}
