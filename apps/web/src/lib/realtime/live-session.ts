import { type Conversation, EMPTY_CONVERSATION, takeEvent } from './conversation.ts'
import { type ClientEvent, readServerEvent, type ServerEvent, toFields, toIndex, toText } from './events.ts'
import type { RealtimeLink } from './link.ts'
import { decodePcm, encodePcm } from './pcm.ts'
import { createResponder } from './responder.ts'
import { type TalkSettings, toSessionUpdate } from './session-settings.ts'
import type { Voice } from './voice.ts'

/** Parts of a session that has an open link. */
export interface LiveParts {
  readonly link: Pick<RealtimeLink, 'send' | 'transport'>
  readonly voice: Voice
  readonly settings: TalkSettings
  /** The model of the pipeline that writes down speech; empty for none. */
  readonly transcription: string
  readonly now: () => number
  readonly onChange: (conversation: Conversation) => void
}

/** A session that has an open link: events in, captions and events out. */
export interface LiveSession {
  /** Takes the text of an event. Anything that is not an event is ignored. */
  readonly receive: (text: string) => void
  /** Sends sound of the microphone. */
  readonly hear: (samples: Float32Array) => void
  /** Forgets the sound that was sent and not used. */
  readonly clear: () => void
  /** Ends the turn of a press, and asks for the answer. */
  readonly commit: () => void
  /** Sends a typed message, and asks for the answer. */
  readonly say: (text: string) => void
  /** Ends the answer, and its voice. */
  readonly interrupt: () => void
  readonly change: (settings: TalkSettings) => void
  /** Allows or declines a call of a tool. */
  readonly consent: (id: string, isAllowed: boolean) => void
}

/** Failures of a cancellation that came too late: nothing is wrong. */
const TOO_LATE: ReadonlySet<string> = new Set(['response_cancel_not_active'])

export function createLiveSession(parts: LiveParts): LiveSession {
  const { link, now, onChange } = parts
  let { settings } = parts
  let told: TalkSettings | undefined
  /** The session as the server began it. */
  let session: Conversation['session']
  let conversation = EMPTY_CONVERSATION
  let count = 0
  const send = (event: ClientEvent): string => {
    count += 1
    const id = `client_${count}`
    link.send({ event_id: id, ...event })
    return id
  }
  const responder = createResponder(send)
  const speaker = createSpeaker(parts, send)
  const set = (next: Conversation) => {
    if (next === conversation) return
    conversation = next
    onChange(next)
  }
  const update = () => {
    session ??= conversation.session
    if (session === undefined) return
    const facts = { transport: link.transport, session, transcription: parts.transcription, previous: told }
    send(toSessionUpdate(settings, facts))
    told = settings
  }
  const beginTurn = () => set({ ...conversation, times: { endedAt: now() }, fault: undefined })
  const interrupt = () => {
    const current = responder.current()
    // an item cannot be cut while it is made
    responder.cancel()
    speaker.silence(current)
    if (link.transport === 'webrtc' && conversation.isPlaying) send({ type: 'output_audio_buffer.clear' })
  }
  return {
    receive(text) {
      const event = readServerEvent(text)
      if (event === undefined || isTooLate(event)) return
      responder.take(event)
      speaker.take(event)
      const isSpeech = event.type === 'input_audio_buffer.speech_started'
      // an answer that is not heard yet is ended by the server, or goes on
      if (isSpeech && parts.voice.isPlaying.get() && mayInterrupt(conversation)) speaker.silence(responder.current())
      set(takeEvent(conversation, event, now()))
      if (event.type === 'session.created') update()
    },
    hear: (samples) => void send({ type: 'input_audio_buffer.append', audio: encodePcm(samples) }),
    clear: () => void send({ type: 'input_audio_buffer.clear' }),
    commit() {
      send({ type: 'input_audio_buffer.commit' })
      beginTurn()
      responder.ask()
    },
    say(text) {
      interrupt()
      send({
        type: 'conversation.item.create',
        item: { type: 'message', role: 'user', content: [{ type: 'input_text', text }] },
      })
      beginTurn()
      responder.ask()
    },
    interrupt,
    change(next) {
      settings = next
      update()
    },
    consent(id, isAllowed) {
      send({
        type: 'conversation.item.create',
        item: { type: 'mcp_approval_response', approval_request_id: id, approve: isAllowed },
      })
      const entries = conversation.entries.map((entry) =>
        entry.id === id && entry.kind === 'consent' ? { ...entry, answer: isAllowed } : entry,
      )
      set({ ...conversation, entries })
      responder.ask()
    },
  }
}

function isTooLate({ type, error }: ServerEvent): boolean {
  return type === 'error' && TOO_LATE.has(toText(toFields(error).code))
}

/** Whether speech interrupts the voice, as the session has it. */
function mayInterrupt({ session }: Conversation): boolean {
  const detection = toFields(toFields(toFields(session?.audio).input).turn_detection)
  return detection.interrupt_response !== false
}

/** Responses whose sound is dropped, the latest. */
const MAX_DROPPED = 20

/** Plays the sound of events, and says what was heard of it. Sound over WebRTC is played by the browser. */
function createSpeaker({ link, voice }: LiveParts, send: (event: ClientEvent) => string) {
  let dropped: readonly string[] = []
  return {
    take(event: ServerEvent) {
      if (event.type !== 'response.output_audio.delta' || dropped.includes(toText(event.response_id))) return
      const samples = decodePcm(toText(event.delta))
      if (samples === undefined) return
      voice.play({ itemId: toText(event.item_id), contentIndex: toIndex(event.content_index) }, samples)
    },
    /** Falls silent, and drops what comes of a response. */
    silence(response: string | undefined) {
      if (response !== undefined) dropped = [...dropped, response].slice(-MAX_DROPPED)
      if (link.transport !== 'websocket') return
      for (const { itemId, contentIndex, playedMs } of voice.stop()) {
        send({
          type: 'conversation.item.truncate',
          item_id: itemId,
          content_index: contentIndex,
          audio_end_ms: playedMs,
        })
      }
    },
  }
}
