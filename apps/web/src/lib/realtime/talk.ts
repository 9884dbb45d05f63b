import { createObservable, type MutableObservable, type Observable } from '../chat/observable.ts'
import { type RecorderFault, toFault } from '../media/recorder.ts'
import type { Capture } from './capture.ts'
import type { Connected, FallbackReason, TransportChoice } from './connect.ts'
import { type Conversation, EMPTY_CONVERSATION, type RealtimeFault } from './conversation.ts'
import type { LinkEnd, LinkOptions, Transport } from './link.ts'
import { createLiveSession, type LiveSession } from './live-session.ts'
import { createPress } from './press.ts'
import type { TalkSettings } from './session-settings.ts'
import type { Voice } from './voice.ts'

/** How a conversation has ended. */
export type TalkEnd =
  | { readonly kind: 'own' }
  | ({ readonly kind: 'closed' } & LinkEnd)
  | { readonly kind: 'failed'; readonly error: unknown }
  | ({ readonly kind: 'refused' } & RealtimeFault)

/** State of the Talk page. */
export interface TalkState {
  /** `loading`: the link is open, and the server loads the models. */
  readonly phase: 'idle' | 'asking' | 'connecting' | 'loading' | 'live' | 'ended'
  readonly transport?: Transport
  readonly fallback?: FallbackReason
  readonly microphone?: MediaStream
  /** Why there is no microphone; `gone` for one that was taken away. */
  readonly fault?: RecorderFault | 'gone'
  /** The voice of the model, for a meter. */
  readonly voice?: MediaStream
  readonly isSpeaking: boolean
  /** Whether the viewer speaks by a press. */
  readonly isHeld: boolean
  /** Whether the last press was too short to hold words. */
  readonly isTooShort: boolean
  readonly isMuted: boolean
  readonly conversation: Conversation
  readonly end?: TalkEnd
}

/** A conversation to begin. */
export interface TalkStart {
  readonly model: string
  /** The model of the pipeline that writes down speech; empty for none. */
  readonly transcription: string
  readonly transport: TransportChoice
  readonly settings: TalkSettings
  /** False for typed messages alone. */
  readonly hasMicrophone: boolean
}

/** Parts of the browser that a conversation uses. */
export interface TalkPorts {
  /** Asks for the microphone; undefined where the page may not use one. */
  readonly openMicrophone: (() => Promise<MediaStream>) | undefined
  readonly openVoice: () => Voice
  readonly connect: (choice: TransportChoice, options: LinkOptions) => Promise<Connected>
  readonly captureSound: (stream: MediaStream, onSamples: (samples: Float32Array) => void) => Promise<Capture>
  readonly now: () => number
}

/** Holds one conversation at a time. */
export interface Talk {
  readonly state: Observable<TalkState>
  /** Call it in the handler of a press: browsers ask for the microphone and play sound only then. */
  readonly start: (options: TalkStart) => Promise<void>
  readonly end: () => void
  /** Begins to speak by a press. */
  readonly hold: () => void
  /** Ends the press: what was said is sent. */
  readonly release: () => void
  readonly mute: (isMuted: boolean) => void
  readonly say: (text: string) => void
  readonly interrupt: () => void
  readonly change: (settings: TalkSettings) => void
  readonly consent: (id: string, isAllowed: boolean) => void
}

const IDLE: TalkState = {
  phase: 'idle',
  isSpeaking: false,
  isHeld: false,
  isTooShort: false,
  isMuted: false,
  conversation: EMPTY_CONVERSATION,
}

/** What is open during a conversation, and the way to close it. */
interface Run {
  readonly abort: AbortController
  readonly closers: (() => void)[]
  settings: TalkSettings
  session?: LiveSession
}

export function createTalk(ports: TalkPorts): Talk {
  const state = createObservable(IDLE)
  const patch = (changes: Partial<TalkState>) => state.set({ ...state.get(), ...changes })
  let run: Run | undefined

  const finish = (own: Run, end: TalkEnd) => {
    if (run !== own) return
    run = undefined
    own.abort.abort()
    for (const close of own.closers.toReversed()) close()
    const { fallback, transport, conversation } = state.get()
    state.set({
      ...IDLE,
      phase: 'ended',
      conversation: { ...conversation, isHearing: false, isPlaying: false, responseId: undefined },
      ...(transport !== undefined && { transport }),
      ...(fallback !== undefined && { fallback }),
      end,
    })
  }
  const press = createPress({
    session: () => run?.session,
    isReady: () => {
      const { phase, microphone } = state.get()
      return phase === 'live' && microphone !== undefined && run?.settings.isPushToTalk === true
    },
    onChange: (isHeld, isTooShort) => {
      patch({ isHeld, isTooShort })
      openTrack(state, run)
    },
    now: ports.now,
  })
  return {
    state,
    async start(options) {
      if (run !== undefined) return
      const own: Run = { abort: new AbortController(), closers: [press.cancel], settings: options.settings }
      run = own
      state.set({ ...IDLE, phase: options.hasMicrophone ? 'asking' : 'connecting' })
      try {
        await begin({ own, options, ports, state, finish, isHeld: () => state.get().isHeld })
      } catch (error) {
        if (!own.abort.signal.aborted) finish(own, { kind: 'failed', error })
      }
    },
    end: () => run && finish(run, { kind: 'own' }),
    hold: press.hold,
    release: press.release,
    mute(isMuted) {
      patch({ isMuted })
      openTrack(state, run)
    },
    say: (text) => run?.session?.say(text),
    interrupt: () => run?.session?.interrupt(),
    change(settings) {
      if (run === undefined) return
      if (run.settings.isPushToTalk !== settings.isPushToTalk) press.cancel()
      run.settings = settings
      run.session?.change(settings)
      openTrack(state, run)
    },
    consent: (id, isAllowed) => run?.session?.consent(id, isAllowed),
  }
}

/**
 * Lets the microphone be heard, or silence in its place: a turn ends by the silence that is heard. Before the session
 * has begun, nothing is heard.
 */
function openTrack(state: Observable<TalkState>, run: Run | undefined): void {
  const { microphone, isHeld, isMuted, phase } = state.get()
  const isOpen = phase === 'live' && (run?.settings.isPushToTalk === true ? isHeld : !isMuted)
  for (const track of microphone?.getAudioTracks() ?? []) track.enabled = isOpen
}

interface Begin {
  readonly own: Run
  readonly options: TalkStart
  readonly ports: TalkPorts
  readonly state: MutableObservable<TalkState>
  readonly finish: (own: Run, end: TalkEnd) => void
  readonly isHeld: () => boolean
}

/** Opens the microphone, the voice and the link, in this order. */
async function begin(parts: Begin): Promise<void> {
  const { own, options, ports, state, finish } = parts
  const { signal } = own.abort
  const patch = (changes: Partial<TalkState>) => state.set({ ...state.get(), ...changes })
  const voice = ports.openVoice()
  own.closers.push(voice.close)
  const microphone = options.hasMicrophone ? await askForMicrophone(parts) : undefined
  if (signal.aborted || (options.hasMicrophone && microphone === undefined)) return
  if (microphone !== undefined) watchMicrophone(parts, microphone)
  patch({ phase: 'connecting', ...(microphone !== undefined && { microphone }) })
  openTrack(state, own)
  const waiting: string[] = []
  const listener = {
    // events may come before the way is fully open
    onEvent: (text: string) => (own.session === undefined ? void waiting.push(text) : own.session.receive(text)),
    onEnd: (end: LinkEnd) => finish(own, { kind: 'closed', ...end }),
  }
  const { link, fallback } = await ports.connect(options.transport, {
    model: options.model,
    microphone,
    listener,
    signal,
  })
  own.closers.push(link.close)
  if (signal.aborted) return link.close()
  patch({
    phase: 'loading',
    transport: link.transport,
    ...(fallback !== undefined && { fallback }),
    voice: link.remote ?? voice.stream,
  })
  own.session = createLiveSession({
    link,
    voice,
    settings: own.settings,
    transcription: options.transcription,
    now: ports.now,
    onChange: (conversation) => show(parts, conversation, voice),
  })
  own.closers.push(voice.isPlaying.subscribe(() => patch({ isSpeaking: isHeardToSpeak(state.get(), voice) })))
  for (const text of waiting) own.session.receive(text)
  if (microphone !== undefined && link.transport === 'websocket') await sendSound(parts, microphone)
}

function isHeardToSpeak({ conversation }: TalkState, voice: Voice): boolean {
  return voice.isPlaying.get() || conversation.isPlaying
}

/** Shows the conversation; a session that is refused before it begins is over. */
function show({ own, state, finish }: Begin, conversation: Conversation, voice: Voice): void {
  const hasBegun = conversation.session !== undefined
  const { phase } = state.get()
  const next: TalkState = { ...state.get(), conversation, ...(hasBegun && { phase: 'live' as const }) }
  state.set({ ...next, isSpeaking: isHeardToSpeak(next, voice) })
  if (phase !== next.phase) openTrack(state, own)
  if (!hasBegun && conversation.fault !== undefined) finish(own, { kind: 'refused', ...conversation.fault })
}

/** @returns undefined when it was not given; the state says why */
async function askForMicrophone({ own, ports, state, finish }: Begin): Promise<MediaStream | undefined> {
  const fail = (fault: RecorderFault) => {
    finish(own, { kind: 'own' })
    state.set({ ...IDLE, fault })
    return undefined
  }
  if (ports.openMicrophone === undefined) return fail('insecure')
  try {
    const stream = await ports.openMicrophone()
    const free = () => {
      for (const track of stream.getTracks()) track.stop()
    }
    own.closers.push(free)
    if (own.abort.signal.aborted) free()
    return stream
  } catch (error) {
    return own.abort.signal.aborted ? undefined : fail(toFault(error))
  }
}

function watchMicrophone({ own, state }: Begin, microphone: MediaStream): void {
  const { signal } = own.abort
  for (const track of microphone.getAudioTracks()) {
    track.addEventListener('ended', () => state.set({ ...state.get(), fault: 'gone' }), { signal })
  }
}

/** Sends the microphone in events: all of it, or what is said during a press. */
async function sendSound({ own, ports, state, isHeld }: Begin, microphone: MediaStream): Promise<void> {
  const capture = await ports.captureSound(microphone, (samples) => {
    if (state.get().phase !== 'live') return
    if (!own.settings.isPushToTalk || isHeld()) own.session?.hear(samples)
  })
  own.closers.push(capture.close)
  if (own.abort.signal.aborted) capture.close()
}
