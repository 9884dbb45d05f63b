import {
  createReasoningCleaner,
  createReasoningSplitter,
  createToolCallStream,
  type KnownTool,
  type ReasoningCleaner,
  type ReasoningDelta,
  type ReasoningSettings,
  splitReasoning,
  type ToolCallSettings,
  type ToolFormatMarkers,
} from '@svc/reply-parser'
import type { ReplyFinisher } from '../prompt/finish/reply-finisher.ts'

/** One part of a model's text. */
export type Said =
  | { readonly type: 'reasoning'; readonly text: string }
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'call-start'; readonly index: number; readonly name: string; readonly id?: string | undefined }
  | { readonly type: 'call-arguments'; readonly index: number; readonly text: string }

/** Splits a model's text into parts while it arrives. */
export interface ReplyText {
  /** Takes the next piece of the text as the model wrote it. */
  push(piece: string): Said[]
  /** Takes the next piece of an answer whose reasoning the backend has removed. */
  pushAnswer(piece: string): Said[]
  /** Takes the next piece of reasoning that the backend has removed from the answer. */
  pushReasoning(piece: string): Said[]
  end(): Said[]
}

/** Rules for finding calls. */
export interface CallReading {
  readonly settings: ToolCallSettings
  readonly markers?: ToolFormatMarkers | undefined
  readonly known: readonly KnownTool[]
}

/** Rules for reading the text of one choice. */
export interface ReplyTextOptions {
  readonly reasoning: ReasoningSettings
  /** The start tag at the end of the prompt. */
  readonly promptEndsInside?: string | undefined
  /** Absent: calls are not looked for. */
  readonly calls?: CallReading | undefined
  /** Edits the raw text before it is read. */
  readonly finisher?: ReplyFinisher | undefined
  /** Whether the reply arrives in pieces; a whole reply is known to its end before it is read. */
  readonly stream: boolean
}

/** Creates the reader of one choice: it edits the text, then finds reasoning, then calls. */
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
  /** Most backends leave the reasoning in the text. */
  let cleaner: ReasoningCleaner | undefined
  const think = (text: string): Said[] =>
    text === '' || options.reasoning.stripReasoningOnly === true ? [] : [{ type: 'reasoning', text }]
  const answer = (text: string): Said[] => {
    if (text === '') return []
    return calls === undefined ? [{ type: 'text', text }] : calls.push(text)
  }
  const read = (delta: ReasoningDelta): Said[] => [...think(delta.reasoning), ...answer(delta.text)]
  const readRaw = (piece: string): Said[] => read(reasoning.push(piece))
  const edited = (piece: string): string => (finisher === undefined ? piece : finisher.push(piece))
  /** Reader for the rest of the finisher, the same as for the last piece. */
  let lane = readRaw
  return {
    push: (piece) => readRaw(edited(piece)),
    pushAnswer(piece) {
      lane = answer
      return answer(edited(piece))
    },
    pushReasoning(piece) {
      cleaner ??= createReasoningCleaner(options.reasoning)
      return think(cleaner.push(piece))
    },
    end() {
      const rest = finisher?.end() ?? ''
      return [...think(cleaner?.end() ?? ''), ...lane(rest), ...read(reasoning.end()), ...(calls?.end() ?? [])]
    },
  }
}

function createReasoning(options: ReplyTextOptions): { push(piece: string): ReasoningDelta; end(): ReasoningDelta } {
  const { reasoning: settings, promptEndsInside, stream } = options
  if (stream || promptEndsInside === undefined) return createReasoningSplitter(settings, { promptEndsInside })
  // Only the whole text shows whether an answer is plain or continues reasoning from the prompt.
  let whole = ''
  return {
    push(piece) {
      whole += piece
      return { reasoning: '', text: '' }
    },
    end: () => splitReasoning(whole, { settings, promptEndsInside }),
  }
}
