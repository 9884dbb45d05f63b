import {
  createReasoningCleaner,
  createReasoningSplitter,
  createToolCallStream,
  type KnownTool,
  type ReasoningDelta,
  type ReasoningSettings,
  splitReasoning,
  type ToolCallSettings,
  type ToolFormatMarkers,
} from '@svc/reply-parser'
import type { ReplyFinisher } from '../prompt/finish/reply-finisher.ts'

/** What a piece of a model's text says. */
export type Said =
  | { readonly type: 'reasoning'; readonly text: string }
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'call-start'; readonly index: number; readonly name: string; readonly id?: string | undefined }
  | { readonly type: 'call-arguments'; readonly index: number; readonly text: string }

/** Tells what a model's text says while it arrives. */
export interface ReplyText {
  /** The next piece of the text as the model wrote it. */
  push(piece: string): Said[]
  /** The next piece of an answer from which its backend has taken the reasoning out. */
  pushAnswer(piece: string): Said[]
  /** The next piece of the reasoning that the backend has taken out. */
  pushReasoning(piece: string): Said[]
  end(): Said[]
}

/** How calls are looked for. */
export interface CallReading {
  readonly settings: ToolCallSettings
  readonly markers?: ToolFormatMarkers | undefined
  readonly known: readonly KnownTool[]
}

/** How the text of one choice is read. */
export interface ReplyTextOptions {
  readonly reasoning: ReasoningSettings
  /** The start tag that the prompt ends with. */
  readonly promptEndsInside?: string | undefined
  /** Absent: calls are not looked for. */
  readonly calls?: CallReading | undefined
  /** Edits the raw text before anything is read in it. */
  readonly finisher?: ReplyFinisher | undefined
  /** Whether the reply comes in pieces; a whole one is known to its end before it is read. */
  readonly stream: boolean
}

/** Makes the reader of one choice: edits, then reasoning, then calls. */
export function createReplyText(options: ReplyTextOptions): ReplyText {
  const { finisher } = options
  const reasoning = createReasoning(options)
  const calls =
    options.calls &&
    createToolCallStream({
      settings: options.calls.settings,
      markers: options.calls.markers,
      tools: options.calls.known,
    })
  const cleaner = createReasoningCleaner(options.reasoning)
  const think = (text: string): Said[] =>
    text === '' || options.reasoning.stripReasoningOnly === true ? [] : [{ type: 'reasoning', text }]
  const answer = (text: string): Said[] => {
    if (text === '') return []
    return calls === undefined ? [{ type: 'text', text }] : calls.push(text)
  }
  const read = (delta: ReasoningDelta): Said[] => [...think(delta.reasoning), ...answer(delta.text)]
  const readRaw = (piece: string): Said[] => read(reasoning.push(piece))
  const edited = (piece: string): string => (finisher === undefined ? piece : finisher.push(piece))
  /** Where the finisher's rest goes: whichever way the text came. */
  let lane = readRaw
  return {
    push: (piece) => readRaw(edited(piece)),
    pushAnswer(piece) {
      lane = answer
      return answer(edited(piece))
    },
    pushReasoning: (piece) => think(cleaner.push(piece)),
    end() {
      const rest = finisher?.end() ?? ''
      return [...think(cleaner.end()), ...lane(rest), ...read(reasoning.end()), ...(calls?.end() ?? [])]
    },
  }
}

function createReasoning(options: ReplyTextOptions): { push(piece: string): ReasoningDelta; end(): ReasoningDelta } {
  const { reasoning: settings, promptEndsInside, stream } = options
  if (stream || promptEndsInside === undefined) return createReasoningSplitter(settings, { promptEndsInside })
  // Only the whole text tells a plain answer from reasoning that was begun in the prompt.
  let whole = ''
  return {
    push(piece) {
      whole += piece
      return { reasoning: '', text: '' }
    },
    end: () => splitReasoning(whole, { settings, promptEndsInside }),
  }
}
