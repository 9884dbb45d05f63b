import { type Caption, createCaption, type Entry, type ToolEntry, toEntry, withPart } from './entries.ts'
import { type ServerEvent, toFields, toIndex, toList, toText } from './events.ts'
import { markStage, type TurnTimes } from './turn-times.ts'

/** A failure that the server reports in an event. */
export interface RealtimeFault {
  readonly code: string
  readonly message: string
}

/** What a client knows of a conversation. */
export interface Conversation {
  /** The session as the server has it; undefined before it begins. */
  readonly session: Readonly<Record<string, unknown>> | undefined
  readonly entries: readonly Entry[]
  /** Whether somebody is heard to speak. */
  readonly isHearing: boolean
  /** The response that is made now. */
  readonly responseId: string | undefined
  /** Whether the server plays the voice; only over WebRTC. */
  readonly isPlaying: boolean
  readonly times: TurnTimes | undefined
  /** The latest failure; it goes with the next response. */
  readonly fault: RealtimeFault | undefined
}

export const EMPTY_CONVERSATION: Conversation = {
  session: undefined,
  entries: [],
  isHearing: false,
  responseId: undefined,
  isPlaying: false,
  times: undefined,
  fault: undefined,
}

/** Entries that are kept, the latest. */
export const MAX_ENTRIES = 500

type Reader = (conversation: Conversation, event: ServerEvent, at: number) => Conversation

/** Brings an event of the server into the conversation. Unknown events change nothing. @param at milliseconds now */
export function takeEvent(conversation: Conversation, event: ServerEvent, at: number): Conversation {
  return READERS.get(event.type)?.(conversation, event, at) ?? conversation
}

function find(conversation: Conversation, id: unknown): Entry | undefined {
  return conversation.entries.find((entry) => entry.id === id)
}

/** Puts an entry into its place: that of the known one, else the end. */
function put(conversation: Conversation, entry: Entry): Conversation {
  const { entries } = conversation
  const isKnown = entries.some(({ id }) => id === entry.id)
  const next = isKnown ? entries.map((other) => (other.id === entry.id ? entry : other)) : [...entries, entry]
  return { ...conversation, entries: next.slice(-MAX_ENTRIES) }
}

/** Moves an entry behind another one. The first place is for `null`; an unknown one moves nothing. */
function moveBehind(conversation: Conversation, id: string, previousId: unknown): Conversation {
  const { entries } = conversation
  const entry = entries.find((other) => other.id === id)
  const others = entries.filter((other) => other.id !== id)
  const place = others.findIndex((other) => other.id === previousId)
  if (entry === undefined || place < 0) return conversation
  return { ...conversation, entries: [...others.slice(0, place + 1), entry, ...others.slice(place + 1)] }
}

function changeCaption(
  conversation: Conversation,
  id: unknown,
  change: (caption: Caption) => Caption,
  role: Caption['role'] = 'assistant',
): Conversation {
  if (typeof id !== 'string' || id === '') return conversation
  const known = find(conversation, id)
  if (known !== undefined && known.kind !== 'caption') return conversation
  return put(conversation, change(known ?? createCaption(id, role, true)))
}

function changeTool(conversation: Conversation, id: unknown, change: (tool: ToolEntry) => ToolEntry): Conversation {
  const known = find(conversation, id)
  return known?.kind === 'tool' ? put(conversation, change(known)) : conversation
}

/** Whether the text of spoken items comes later than the items. */
function isTranscribed({ session }: Conversation): boolean {
  return (
    typeof toFields(toFields(session?.audio).input).transcription === 'object' &&
    toFields(toFields(session?.audio).input).transcription !== null
  )
}

const takeItem =
  (isWhole: boolean): Reader =>
  (conversation, { item, previous_item_id: previous }) => {
    const fields = toFields(item)
    const entry = toEntry(fields, find(conversation, fields.id))
    if (entry === undefined || entry.id === '') return conversation
    const waits = entry.kind === 'caption' && entry.role === 'user' && entry.isSpoken && isTranscribed(conversation)
    const isOver = isWhole && entry.kind === 'caption' && entry.state === 'open' && !waits
    const placed = put(
      conversation,
      isOver ? { ...entry, state: fields.status === 'incomplete' ? 'cut' : 'done' } : entry,
    )
    return moveBehind(placed, entry.id, previous)
  }

const addText =
  (role: Caption['role'], isSpoken: boolean): Reader =>
  (conversation, event, at) => {
    const { item_id: id, content_index: index, delta } = event
    const changed = changeCaption(
      conversation,
      id,
      (caption) => ({
        ...withPart(caption, toIndex(index), (text) => text + toText(delta)),
        isSpoken: caption.isSpoken && isSpoken,
      }),
      role,
    )
    return role === 'user' ? changed : { ...changed, times: markStage(changed.times, 'firstText', at) }
  }

const setText =
  (field: 'text' | 'transcript'): Reader =>
  (conversation, event) =>
    changeCaption(conversation, event.item_id, (caption) =>
      withPart(caption, toIndex(event.content_index), (text) => toText(event[field]) || text),
    )

const takeTranscript: Reader = (conversation, event, at) => {
  const { item_id: id, content_index: index, transcript } = event
  const changed = changeCaption(
    conversation,
    id,
    (caption) => ({ ...withPart(caption, toIndex(index), () => toText(transcript)), state: 'done' }),
    'user',
  )
  return { ...changed, times: markStage(changed.times, 'transcribed', at) }
}

const failTranscript: Reader = (conversation, event) => {
  const fault = toText(toFields(event.error).message)
  return changeCaption(conversation, event.item_id, (caption) => ({ ...caption, state: 'failed', fault }), 'user')
}

const markSound: Reader = (conversation, _, at) => {
  const times = markStage(conversation.times, 'firstSound', at)
  return times === conversation.times ? conversation : { ...conversation, times }
}

const addArguments: Reader = (conversation, { item_id: id, delta }) =>
  changeTool(conversation, id, (tool) => ({ ...tool, arguments: tool.arguments + toText(delta) }))

const setArguments: Reader = (conversation, { item_id: id, name, arguments: whole }) =>
  changeTool(conversation, id, (tool) => ({
    ...tool,
    name: toText(name) || tool.name,
    arguments: toText(whole) || tool.arguments,
  }))

const setToolState =
  (state: ToolEntry['state']): Reader =>
  (conversation, { item_id: id }) =>
    changeTool(conversation, id, (tool) => ({ ...tool, state }))

const endResponse: Reader = (conversation, { response }, at) => {
  const { id, status, status_details: details, output } = toFields(response)
  const { error, reason } = toFields(details)
  const ids = new Set(toList(output).map((item) => item.id))
  const state = status === 'completed' ? 'done' : status === 'failed' ? 'failed' : 'cut'
  const entries = conversation.entries.map((entry): Entry => {
    if (!ids.has(entry.id)) return entry
    if (entry.kind === 'tool' && entry.state === 'running' && state !== 'done') return { ...entry, state: 'failed' }
    if (entry.kind !== 'caption') return entry
    const fault = status === 'incomplete' ? toText(reason) : ''
    const next = entry.state === 'open' || state !== 'done' ? state : entry.state
    return { ...entry, state: next, ...(fault !== '' && { fault }) }
  })
  const { code, type, message } = toFields(error)
  return {
    ...conversation,
    entries,
    responseId: conversation.responseId === id ? undefined : conversation.responseId,
    times: markStage(conversation.times, 'done', at),
    ...(status === 'failed' && {
      fault: { code: toText(code) || toText(type), message: toText(message) || toText(reason) || toText(type) },
    }),
  }
}

const setPlaying =
  (isPlaying: boolean): Reader =>
  (conversation, event, at) => ({
    ...(isPlaying ? markSound(conversation, event, at) : conversation),
    isPlaying,
  })

const takeSession: Reader = (conversation, { session }) => ({ ...conversation, session: toFields(session) })

const READERS: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ['session.created', takeSession],
  ['session.updated', takeSession],
  [
    'error',
    (conversation, { error }) => {
      const { code, type, message } = toFields(error)
      return { ...conversation, fault: { code: toText(code) || toText(type), message: toText(message) } }
    },
  ],
  ['input_audio_buffer.speech_started', (conversation) => ({ ...conversation, isHearing: true })],
  [
    'input_audio_buffer.speech_stopped',
    (conversation, _, at) => ({ ...conversation, isHearing: false, times: { endedAt: at } }),
  ],
  [
    'input_audio_buffer.committed',
    (conversation, { item_id: id, previous_item_id: previous }) =>
      moveBehind(
        changeCaption({ ...conversation, isHearing: false }, id, (caption) => caption, 'user'),
        toText(id),
        previous,
      ),
  ],
  ['input_audio_buffer.cleared', (conversation) => ({ ...conversation, isHearing: false })],
  ['conversation.item.created', takeItem(false)],
  ['conversation.item.added', takeItem(false)],
  ['conversation.item.done', takeItem(true)],
  ['conversation.item.retrieved', takeItem(true)],
  ['response.output_item.added', takeItem(false)],
  ['response.output_item.done', takeItem(true)],
  [
    'conversation.item.deleted',
    (conversation, { item_id: id }) => ({
      ...conversation,
      entries: conversation.entries.filter((entry) => entry.id !== id),
    }),
  ],
  [
    'conversation.item.truncated',
    (conversation, { item_id: id }) =>
      find(conversation, id) === undefined
        ? conversation
        : changeCaption(conversation, id, (caption) => ({ ...caption, state: 'cut' })),
  ],
  ['conversation.item.input_audio_transcription.delta', addText('user', true)],
  ['conversation.item.input_audio_transcription.completed', takeTranscript],
  ['conversation.item.input_audio_transcription.failed', failTranscript],
  [
    'conversation.item.speaker',
    (conversation, { item_id: id, speaker }) => {
      const name = toText(speaker) || toText(toFields(speaker).name)
      return name === ''
        ? conversation
        : changeCaption(conversation, id, (caption) => ({ ...caption, speaker: name }), 'user')
    },
  ],
  [
    'conversation.item.sound_detection',
    (conversation, { item_id: id, detections }) => {
      const sounds = toList(detections).flatMap(({ label }) => (toText(label) === '' ? [] : [toText(label)]))
      return changeCaption(conversation, id, (caption) => ({ ...caption, sounds: sounds.slice(0, 5) }), 'user')
    },
  ],
  [
    'response.created',
    (conversation, { response }) => ({
      ...conversation,
      responseId: toText(toFields(response).id),
      fault: undefined,
    }),
  ],
  ['response.done', endResponse],
  ['response.output_text.delta', addText('assistant', false)],
  ['response.output_text.done', setText('text')],
  ['response.output_audio_transcript.delta', addText('assistant', true)],
  ['response.output_audio_transcript.done', setText('transcript')],
  ['response.output_audio.delta', markSound],
  ['output_audio_buffer.started', setPlaying(true)],
  ['output_audio_buffer.stopped', setPlaying(false)],
  ['output_audio_buffer.cleared', setPlaying(false)],
  ['response.function_call_arguments.delta', addArguments],
  ['response.function_call_arguments.done', setArguments],
  ['response.mcp_call_arguments.delta', addArguments],
  ['response.mcp_call_arguments.done', setArguments],
  ['response.mcp_call.in_progress', setToolState('running')],
  ['response.mcp_call.completed', setToolState('done')],
  ['response.mcp_call.failed', setToolState('failed')],
])
