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
/** The beginning of a summary, by which it is known again. */
const HEADING = 'Summary of the conversation so far:'

const INSTRUCTIONS =
  'Write a short summary of this conversation for the assistant who goes on with it. Keep names, facts, wishes and open questions. Write nothing but the summary.'

/**
 * Creates the stage that puts a summary in place of old messages. It works once more than `trigger_items` are there
 * beside system messages, and gives a list that the caller goes on with: a summary in it is extended the next time.
 * System messages stay first, and a call of a tool is never parted from its result. An empty summary changes nothing.
 */
export function createCompaction({ settings, maxHistoryItems, asker, findModel }: CompactionParts) {
  const window = maxHistoryItems > 0 ? maxHistoryItems : USUAL_WINDOW
  const trigger = Math.max(settings.triggerItems ?? 2 * window, window + 1)

  return async (messages: readonly StageMessage[], call: StageCall): Promise<readonly StageMessage[]> => {
    const spoken = messages.filter(({ role }) => role !== 'system')
    const cut = spoken.length <= trigger ? 0 : findCut(spoken, spoken.length - window)
    if (cut === 0) return messages
    const earlier = messages.filter(isSummary).map(readMessageText)
    const text = [...earlier, ...spoken.slice(0, cut).map(writeLine)].join('\n').slice(-MAX_TEXT)
    const summary = await summarize(text, call)
    if (summary === '') return messages
    const note = { role: 'system', content: `${HEADING}\n${summary}` }
    const instructions = messages.filter((message) => message.role === 'system' && !isSummary(message))
    return [...instructions, note, ...spoken.slice(cut)]
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
    return summary.trim()
  }
}

const isSummary = (message: StageMessage): boolean =>
  message.role === 'system' && readMessageText(message).startsWith(HEADING)

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
