import { createFakeClock, eventually } from '@svc/test-kit'
import type { RealtimeSessionFields } from '@svc/wire/realtime'
import type { PredictionEvent } from '../../../inference/core/events.ts'
import type {
  FinishedTurn,
  PipelineFacts,
  PipelineStages,
  RealtimePeer,
  ServerEvent,
  Speaker,
  ThinkRequest,
  TurnDetection,
  TurnTakerParts,
} from '../../ports.ts'
import { createSession } from '../create-session.ts'
import type { SessionParts } from '../session-context.ts'

export const SERVER_VAD: TurnDetection = {
  type: 'server_vad',
  threshold: 0.5,
  prefixPaddingMs: 300,
  silenceDurationMs: 500,
  createResponse: true,
  interruptResponse: true,
}

const FACTS: PipelineFacts = {
  name: 'talk',
  detectsSpeech: true,
  transcribes: true,
  transcribesLive: false,
  thinks: true,
  speaks: true,
  isAnyToAny: false,
  classifiesSounds: false,
  recognizesSpeakers: false,
  isScanned: false,
  announcesSpeakers: 'known',
  retranscribes: false,
  maxHistoryItems: 0,
  speaksByClause: true,
  turnDetection: null,
  voice: 'anna',
  transcriptionModel: 'ear',
}

const USAGE: PredictionEvent = {
  type: 'usage',
  usage: { promptTokens: 7, completionTokens: 3, promptMs: 0, generationMs: 0 },
}

/** Events of a model that says a text. */
export function saying(...texts: readonly string[]): PredictionEvent[] {
  return [
    ...texts.map((text) => ({ type: 'text-delta', choice: 0, text }) as const),
    { type: 'choice-end', choice: 0, finishReason: 'stop' },
    USAGE,
  ]
}

/** A session with stages that answer by script. */
export function createWorld(
  options: {
    readonly facts?: Partial<PipelineFacts>
    readonly fields?: RealtimeSessionFields
    readonly stages?: Partial<PipelineStages>
    readonly speaker?: Speaker
    readonly parts?: Partial<SessionParts>
  } = {},
) {
  const clock = createFakeClock()
  const gone = new AbortController()
  const events: ServerEvent[] = []
  const asked: ThinkRequest[] = []
  const spoken: string[] = []
  const noted: FinishedTurn[] = []
  const closed: number[] = []
  let parts: TurnTakerParts | undefined
  const taken: string[] = []
  const facts = { ...FACTS, ...options.facts }
  let answers: PredictionEvent[][] = []

  const stages = {
    model: {} as PipelineStages['model'],
    facts,
    load: async () => undefined,
    check: async () => undefined,
    detectSpeech: async () => [],
    async *transcribe(samples) {
      yield { type: 'delta', text: 'hello' }
      yield { type: 'done', text: 'hello', seconds: samples.length / 16_000 }
    },
    transcribeLive: () => undefined,
    async *think(request) {
      asked.push(request)
      for (const event of answers.shift() ?? saying('Hi there.')) yield [event]
    },
    async speak(text) {
      spoken.push(text)
      return {
        sampleRate: 24_000,
        samples: (async function* () {
          yield new Float32Array(2400)
        })(),
      }
    },
    converse: async function* () {
      // nothing is said
    },
    classifySounds: async () => [],
    recognizeSpeaker: async () => ({ name: undefined, isAccepted: true, isSilent: false }),
    compact: async (messages) => messages,
    noteTurn: (turn) => void noted.push(turn),
    ...options.stages,
  } satisfies PipelineStages
  const peer: RealtimePeer = {
    transport: options.speaker === undefined ? 'websocket' : 'webrtc',
    signal: gone.signal,
    send: async (event) => void events.push(event),
    speaker: options.speaker,
    close: (code) => void closed.push(code),
  }
  const log = { debug() {}, info() {}, warn() {}, error() {} }
  const session = createSession({
    peer,
    stages,
    createTurnTaker(made) {
      parts = made
      return {
        set: (settings) => void taken.push(`set ${settings?.type ?? 'none'}`),
        hear: (samples) => void taken.push(`hear ${samples.length}`),
        heardOurselves: (samples) => void taken.push(`ourselves ${samples.length}`),
        setSpeaking: (isSpeaking) => void taken.push(`speaking ${isSpeaking}`),
        clear: () => void taken.push('clear'),
        close: () => void taken.push('close'),
      }
    },
    begin: async (_turn, { signal }) => ({
      caller: { requestId: 'r', principal: {} as never, useModel() {}, log },
      signal,
      close() {},
    }),
    clock,
    log,
    fields: options.fields,
    model: 'talk',
    readLimits: async () => [],
    memory: { add: () => true, subtract() {} },
    expiresAt: 3_600_000,
    ...options.parts,
  })
  const types = (): string[] => events.map(({ type }) => type)

  return {
    session,
    clock,
    events,
    asked,
    spoken,
    noted,
    closed,
    taken,
    types,
    leave: () => gone.abort(),
    /** The listener of turn taking. */
    get turn() {
      if (parts === undefined) throw new Error('no turn taker was made')
      return parts
    },
    /** The model gives these events in its next turns. */
    script(...turns: PredictionEvent[][]) {
      answers = turns
    },
    send: (event: object) => session.receive(Buffer.from(JSON.stringify(event))),
    say: (text: string) =>
      session.receive(
        Buffer.from(
          JSON.stringify({
            type: 'conversation.item.create',
            item: { type: 'message', role: 'user', content: [{ type: 'input_text', text }] },
          }),
        ),
      ),
    /** Waits for the events up to one of a type, and takes them. */
    async until(type: string): Promise<ServerEvent[]> {
      await eventually(() => {
        if (!types().includes(type)) throw new Error(`no ${type} after ${types().join(', ')}`)
      })
      return events.splice(0, types().indexOf(type) + 1)
    },
  }
}
