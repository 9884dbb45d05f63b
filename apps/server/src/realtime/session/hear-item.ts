import { SvcError } from '@svc/errors'
import { HEARD_RATE, type HeardPart, type LiveTranscription, type StageCall } from '../ports.ts'
import { removeRemarks } from '../turns/words/split-words.ts'
import { dropSamples, type Item, type ItemPart } from './conversation.ts'
import { badEvent, failedStage, toErrorEvent, toRealtimeError } from './event-error.ts'
import type { UnreadSound } from './input-audio.ts'
import type { SessionContext } from './session-context.ts'

/** What is known of the words of a turn. */
export interface HeardTurn {
  readonly sound: UnreadSound
  /** Place of the speech in its message. */
  readonly contentIndex: number
  /** A text that was written down before the turn was over. */
  readonly text?: string | undefined
  /** A transcription that has followed the speech. */
  readonly live?: LiveTranscription | undefined
}

/**
 * Writes down the speech of an item, and looks who spoke. Events tell of it.
 *
 * @throws {SvcError} `transcription_failed`; `speaker_not_authorized` for a person whose speech does not count: the item
 *   is gone then
 */
export async function hearItem(item: Item, turn: HeardTurn, context: SessionContext): Promise<void> {
  let free: (() => void) | undefined
  try {
    free = holdSpeech(turn, context)
    const samples = await turn.sound.read()
    if (context.stages.facts.isAnyToAny) {
      keepSamples(item, { samples, free }, context)
      free = undefined
    }
    await understand(item, { ...turn, samples }, context)
  } finally {
    turn.live?.close()
    free?.()
  }
}

function holdSpeech({ sound }: HeardTurn, { holdSpeech: hold, emit }: SessionContext): () => void {
  try {
    return hold(sound.bytes)
  } catch (error) {
    void emit(toErrorEvent(error))
    throw error
  }
}

/** Items whose speech is kept for a model that hears, the latest. */
const MAX_KEPT = 4

function keepSamples(
  item: Item,
  { samples, free }: { readonly samples: Float32Array; readonly free: () => void },
  { conversation }: SessionContext,
): void {
  item.samples = samples
  // an item beside the conversation goes with its response
  if (conversation.find(item.id) === item) item.freeSamples = free
  else free()
  for (const old of conversation.items.filter((one) => one.samples !== undefined).slice(0, -MAX_KEPT)) dropSamples(old)
}

/** A turn whose sound is read. */
interface ReadTurn extends HeardTurn {
  readonly samples: Float32Array
}

async function understand(item: Item, turn: ReadTurn, context: SessionContext): Promise<void> {
  const { facts } = context.stages
  const begun = await context.begin({ signal: context.signal })
  try {
    const call = { caller: begun.caller, signal: begun.signal }
    if (facts.recognizesSpeakers) await checkSpeaker(item, turn, { context, call })
    if (facts.classifiesSounds && facts.soundWindow === undefined) await classify(item, turn, { context, call })
    if (facts.transcribes) await transcribe(item, turn, { context, call })
    else if (!facts.isAnyToAny) throw cannotHear()
  } finally {
    begun.close()
  }
}

interface Listening {
  readonly context: SessionContext
  readonly call: StageCall
}

async function checkSpeaker(item: Item, { samples }: ReadTurn, { context, call }: Listening): Promise<void> {
  const { stages, conversation, emit } = context
  const { name, isAccepted, isSilent } = await stages.recognizeSpeaker(samples, call)
  if (isAccepted) {
    const { announcesSpeakers } = stages.facts
    item.speaker = { name }
    const isTold = announcesSpeakers === 'all' || (announcesSpeakers === 'known' && name !== undefined)
    if (isTold) void emit({ type: 'conversation.item.speaker', item_id: item.id, speaker: name ?? null })
    return
  }
  conversation.remove(item.id)
  void emit({ type: 'conversation.item.deleted', item_id: item.id })
  const refusal = new SvcError('forbidden', 'this speaker may not talk to the model', {
    code: 'speaker_not_authorized',
  })
  if (!isSilent) void emit(toErrorEvent(refusal))
  throw refusal
}

/** A failure says nothing about the words. */
async function classify(item: Item, { samples, contentIndex }: ReadTurn, { context, call }: Listening): Promise<void> {
  const { stages, emit } = context
  try {
    const detections = await stages.classifySounds(samples, call)
    void emit({ type: 'conversation.item.sound_detection', item_id: item.id, content_index: contentIndex, detections })
  } catch (error) {
    call.signal.throwIfAborted()
    void emit(toErrorEvent(failedStage('processing_error', error)))
  }
}

async function transcribe(item: Item, turn: ReadTurn, { context, call }: Listening): Promise<void> {
  const { contentIndex } = turn
  const place = { item_id: item.id, content_index: contentIndex }
  const isShown = context.settings.transcription !== null
  const tell = (event: { readonly type: string; readonly [field: string]: unknown }): void => {
    if (isShown) void context.emit(event)
  }
  try {
    let seconds = turn.samples.length / HEARD_RATE
    let text = ''
    for await (const part of readParts(turn, { context, call })) {
      if (part.type === 'delta') {
        tell({ type: 'conversation.item.input_audio_transcription.delta', ...place, delta: part.text })
        continue
      }
      text = removeRemarks(part.text) === '' ? '' : part.text
      seconds = part.seconds
    }
    call.signal.throwIfAborted()
    setTranscript(item, contentIndex, text)
    context.conversation.resize(item)
    const usage = { type: 'duration', seconds }
    tell({ type: 'conversation.item.input_audio_transcription.completed', ...place, transcript: text, usage })
  } catch (thrown) {
    const error = failedStage('transcription_failed', thrown)
    const { event_id: _event, ...fault } = toRealtimeError(error)
    if (!context.signal.aborted)
      tell({ type: 'conversation.item.input_audio_transcription.failed', ...place, error: fault })
    throw error
  }
}

async function* readParts({ samples, text, live }: ReadTurn, { context, call }: Listening): AsyncGenerator<HeardPart> {
  if (text !== undefined) {
    if (text !== '') yield { type: 'delta', text }
    yield { type: 'done', text, seconds: samples.length / HEARD_RATE }
    return
  }
  const options = context.settings.transcription ?? {}
  yield* live?.end() ?? context.stages.transcribe(samples, options, call)
}

function setTranscript(item: Item, contentIndex: number, transcript: string): void {
  const content = item.fields.content as readonly ItemPart[]
  const parts = content.map((part, index) => (index === contentIndex ? { ...part, transcript } : part))
  item.fields = { ...item.fields, content: parts }
}

/** The refusal of speech where no model hears. */
export function cannotHear(): SvcError {
  return badEvent('invalid_value', 'the pipeline has no model that writes down speech (pipeline.transcription)')
}
