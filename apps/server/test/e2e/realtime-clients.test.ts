import {
  OpenAIRealtimeWebSocket as AgentTransport,
  RealtimeAgent,
  RealtimeSession,
  tool,
} from '@openai/agents-realtime'
import { createDeferred, eventually } from '@svc/test-kit'
import OpenAI from 'openai'
import { OpenAIRealtimeWebSocket } from 'openai/realtime/websocket'
import { OpenAIRealtimeWS } from 'openai/realtime/ws'
import type { RealtimeClientEvent, RealtimeServerEvent } from 'openai/resources/realtime/realtime'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import * as z from 'zod'
import { type BuiltServer, runBuilt, startBuiltServer } from '../support/built-server.ts'
import { chromiumPath } from '../support/chromium-call.ts'
import { openOfficialPage } from '../support/official-page.ts'
import { makeSilence, measureSound } from '../support/realtime-socket.ts'
import { toPipelineKeys } from '../support/realtime-world.ts'
import {
  CAN_UNDERSTAND,
  JUDGE_RATE,
  measureWordErrors,
  RECOGNISER,
  speakDemoVoice,
  understand,
} from '../support/spoken.ts'
import { startTlsRelay, type TlsRelay } from '../support/tls-relay.ts'

const KEY = 'realtime-key'
const QUESTION = 'Please open the window and let in some fresh air.'
const ANSWER = 'The quick brown fox jumps over the lazy dog. My brother works in a small office near the station.'
/** The shortest life of a client secret, seconds. */
const SHORTEST_LIFE = 10
const CALL = { id: 'call_1', name: 'get_weather', arguments: { city: 'Rome' } }

let server: BuiltServer
let relay: TlsRelay
let client: OpenAI
let question: Buffer
/** A client secret that has expired when the last tests run. */
let expired: OpenAI.Realtime.ClientSecretCreateResponse
beforeAll(async () => {
  server = await startBuiltServer({
    mock: {},
    flags: [`--api-keys=${KEY}`],
    env: { SVC_DEMO_MODEL: 'true', SVC_THREADS: '1' },
  })
  relay = await startTlsRelay(server.url)
  client = new OpenAI({ baseURL: `${relay.url}/v1`, apiKey: KEY, maxRetries: 0 })
  await server.model(
    'scripted',
    { rules: [{ rpc: 'AudioTranscription*', do: { text: QUESTION } }] },
    {
      known_usecases: ['transcript'],
    },
  )
  await server.model('sure', { rules: [{ rpc: 'Predict*', do: { text: ANSWER } }] })
  await server.model('slow', { rules: [{ rpc: 'Predict*', do: { text: ANSWER, pieceDelayMs: 200 } }] })
  await server.model('tools', {
    rules: [
      { rpc: 'Predict*', contains: 'sunny', do: { text: 'It is sunny in Rome.' } },
      { rpc: 'Predict*', do: { toolCalls: [CALL], via: 'deltas' } },
    ],
  })
  for (const [name, llm] of [
    ['talk', 'demo'],
    ['recite', 'sure'],
    ['drawl', 'slow'],
    ['ask', 'tools'],
  ] as const)
    await server.model(name, {}, toPipelineKeys({ vad: 'demo-vad', transcription: 'scripted', llm, tts: 'demo-voice' }))
  expired = await makeSecret({ type: 'realtime', model: 'recite' }, SHORTEST_LIFE)
  question = await speakDemoVoice(server.url, QUESTION, { authorization: `Bearer ${KEY}` })
})
afterAll(async () => {
  await relay[Symbol.asyncDispose]()
  await server[Symbol.asyncDispose]()
})

type Client = OpenAIRealtimeWS | OpenAIRealtimeWebSocket

/** A client with everything that it heard. */
interface Conversation extends Disposable {
  readonly heard: readonly RealtimeServerEvent[]
  send(event: RealtimeClientEvent): void
  /** Sends speech and the silence after it. */
  say(pcm: Buffer): void
  until<T extends RealtimeServerEvent['type']>(type: T): Promise<Extract<RealtimeServerEvent, { type: T }>>
  readonly spoken: () => Buffer
}

async function converse(realtime: Client, session: object): Promise<Conversation> {
  const heard: RealtimeServerEvent[] = []
  let taken = 0
  realtime.on('event', (event) => heard.push(event))
  realtime.on('error', (error) => console.error(error.message))
  const conversation: Conversation = {
    heard,
    send: (event) => realtime.send(event),
    say(pcm) {
      const sound = Buffer.concat([makeSilence(300), pcm, makeSilence(1000)])
      for (let at = 0; at < sound.length; at += 9600)
        realtime.send({ type: 'input_audio_buffer.append', audio: sound.subarray(at, at + 9600).toString('base64') })
    },
    until: (type) =>
      eventually(() => {
        const at = heard.findIndex((event, index) => index >= taken && event.type === type)
        if (at === -1) throw new Error(`no ${type} in ${heard.map((event) => event.type).join()}`)
        taken = at + 1
        return heard[at] as Extract<RealtimeServerEvent, { type: typeof type }>
      }),
    spoken: () =>
      Buffer.concat(
        heard.flatMap((event) =>
          event.type === 'response.output_audio.delta' ? [Buffer.from(event.delta, 'base64')] : [],
        ),
      ),
    [Symbol.dispose]: () => realtime.close(),
  }
  await conversation.until('session.created')
  conversation.send({ type: 'session.update', session: { type: 'realtime', ...session } })
  await conversation.until('session.updated')
  return conversation
}

const inNode = (model: string) => new OpenAIRealtimeWS({ model, options: { ca: relay.ca } }, client)

/** The client for browsers, over a WebSocket that trusts the relay; it names the key as a subprotocol. */
function asInBrowsers(model: string, apiKey = KEY): OpenAIRealtimeWebSocket {
  const own = new OpenAI({ baseURL: `${relay.url}/v1`, apiKey, maxRetries: 0 })
  const had = Reflect.get(globalThis, 'WebSocket') as unknown
  class Trusting extends WebSocket {
    constructor(url: string, protocols: string[]) {
      super(url, protocols, { ca: relay.ca })
    }
  }
  Reflect.set(globalThis, 'WebSocket', Trusting)
  try {
    return new OpenAIRealtimeWebSocket({ model }, own)
  } finally {
    Reflect.set(globalThis, 'WebSocket', had)
  }
}

async function makeSecret(
  session: NonNullable<OpenAI.Realtime.ClientSecretCreateParams['session']>,
  seconds = 600,
): Promise<OpenAI.Realtime.ClientSecretCreateResponse> {
  const maker = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: KEY, maxRetries: 0 })
  return await maker.realtime.clientSecrets.create({ session, expires_after: { anchor: 'created_at', seconds } })
}

/** A client whose secret is for transcription. The types of the library know no model there. */
async function asScribe(): Promise<OpenAIRealtimeWS> {
  const wish = { type: 'transcription', model: 'talk' } as const
  const { value: apiKey } = await makeSecret(wish)
  const own = new OpenAI({ baseURL: `${relay.url}/v1`, apiKey, maxRetries: 0 })
  return new OpenAIRealtimeWS({ model: 'talk', options: { ca: relay.ca } }, own)
}

const VAD = { audio: { input: { turn_detection: { type: 'server_vad', silence_duration_ms: 400 } } } }
const text = (said: string): RealtimeClientEvent => ({
  type: 'conversation.item.create',
  item: { type: 'message', role: 'user', content: [{ type: 'input_text', text: said }] },
})

describe('the official client in Node', () => {
  it('holds a spoken turn with the demo models', async () => {
    using talk = await converse(inNode('talk'), VAD)
    talk.say(question)
    expect((await talk.until('conversation.item.input_audio_transcription.completed')).transcript).toBe(QUESTION)
    const { response } = await talk.until('response.done')
    expect(response).toMatchObject({ status: 'completed', output: [{ type: 'message', role: 'assistant' }] })
    expect(response.usage?.output_tokens).toBeGreaterThan(0)
    expect(measureSound(talk.spoken().toString('base64'))).toBeGreaterThan(300)
  })

  it('says what its transcript says, as a recogniser hears it', async () => {
    const output = { format: { type: 'audio/pcm', rate: JUDGE_RATE } }
    using recite = await converse(inNode('recite'), { audio: { ...VAD.audio, output } })
    recite.say(question)
    const { transcript } = await recite.until('response.output_audio_transcript.done')
    expect(transcript).toBe(ANSWER)
    await recite.until('response.done')
    if (!CAN_UNDERSTAND) return console.log(`${RECOGNISER} is missing: the speech was not judged`)
    const heard = await understand(server.folder, recite.spoken())
    expect(measureWordErrors(ANSWER, heard), heard).toBeLessThan(0.25)
  })

  it('interrupts an answer by speech', async () => {
    using drawl = await converse(inNode('drawl'), VAD)
    drawl.say(question)
    await drawl.until('response.output_audio.delta')
    drawl.say(question)
    const { response } = await drawl.until('response.done')
    expect(response).toMatchObject({ status: 'cancelled', status_details: { reason: 'turn_detected' } })
    expect(await drawl.until('conversation.item.truncated')).toMatchObject({ item_id: response.output?.[0]?.id })
    await drawl.until('response.created')
  })

  it('calls a function and uses its result', async () => {
    using ask = await converse(inNode('ask'), {
      output_modalities: ['text'],
      tools: [{ type: 'function', name: CALL.name, parameters: { type: 'object', properties: {} } }],
    })
    ask.send(text('How is the weather in Rome?'))
    ask.send({ type: 'response.create' })
    const call = await ask.until('response.function_call_arguments.done')
    expect(call).toMatchObject({ name: CALL.name, arguments: JSON.stringify(CALL.arguments) })
    await ask.until('response.done')
    ask.send({
      type: 'conversation.item.create',
      item: { type: 'function_call_output', call_id: call.call_id, output: '{"sky":"sunny"}' },
    })
    ask.send({ type: 'response.create' })
    expect((await ask.until('response.output_text.done')).text).toBe('It is sunny in Rome.')
  })

  it('only writes down in a session for transcription', async () => {
    using scribe = await converse(await asScribe(), { type: 'transcription', ...VAD })
    scribe.say(question)
    expect((await scribe.until('conversation.item.input_audio_transcription.completed')).transcript).toBe(QUESTION)
    scribe.send({ type: 'response.create' })
    await scribe.until('error')
    expect(scribe.heard.map(({ type }) => type).filter((type) => type.startsWith('response.'))).toEqual([])
  })
})

describe('the official client for browsers', () => {
  it('answers text by text, with the key as a subprotocol', async () => {
    using recite = await converse(asInBrowsers('recite'), { output_modalities: ['text'] })
    recite.send(text('Hello!'))
    recite.send({ type: 'response.create' })
    expect((await recite.until('response.output_text.done')).text).toBe(ANSWER)
  })

  it('opens with a short-lived secret', async () => {
    const { value } = await makeSecret({ type: 'realtime', model: 'recite' })
    using recite = await converse(asInBrowsers('recite', value), { output_modalities: ['text'] })
    recite.send(text('Hello!'))
    recite.send({ type: 'response.create' })
    expect((await recite.until('response.done')).response.status).toBe('completed')
  })
})

describe('the Agents SDK', () => {
  async function connect(model: string, tools: ReturnType<typeof tool>[] = []) {
    const agent = new RealtimeAgent({ name: 'Guide', instructions: 'Answer in one sentence.', tools })
    const session = new RealtimeSession(agent, { model, transport: new AgentTransport() })
    const errors: unknown[] = []
    const sound: Buffer[] = []
    const answers: string[] = []
    session.on('error', ({ error }) => errors.push(error))
    session.on('audio', ({ data }) => sound.push(Buffer.from(data)))
    session.on('agent_end', (_, __, said) => answers.push(said))
    await session.connect({ apiKey: KEY, url: `${server.url.replace('http', 'ws')}/v1/realtime?model=${model}` })
    return { session, errors, sound, answers, [Symbol.dispose]: () => session.close() }
  }
  /** Sends speech and ten seconds of silence in pieces: a large one is too much for the library. */
  function say(session: RealtimeSession, pcm: Buffer): void {
    const sound = Buffer.concat([pcm, makeSilence(10_000)])
    for (let at = 0; at < sound.length; at += 4800)
      session.sendAudio(Uint8Array.from(sound.subarray(at, at + 4800)).buffer)
  }

  it('holds a turn by text and one by speech', async () => {
    using talk = await connect('recite')
    talk.session.sendMessage('Hello!')
    await eventually(() => expect(talk.answers).toEqual([ANSWER]))
    await eventually(() => expect(talk.sound.length).toBeGreaterThan(0))
    say(talk.session, question)
    await eventually(() => expect(talk.answers).toHaveLength(2))
    await eventually(() => expect(JSON.stringify(talk.session.history)).toContain(QUESTION))
    expect(talk.session.history.map((item) => Reflect.get(item, 'role'))).toEqual([
      ...['user', 'assistant', 'user', 'assistant'],
    ])
    expect(talk.errors).toEqual([])
  })

  it('runs a function', async () => {
    const cities: string[] = []
    const weather = tool({
      name: CALL.name,
      description: 'The weather of a city',
      parameters: z.object({ city: z.string() }),
      async execute({ city }) {
        cities.push(city)
        return 'sunny'
      },
    })
    using ask = await connect('ask', [weather])
    ask.session.sendMessage('How is the weather in Rome?')
    await eventually(() => expect(ask.answers.at(-1)).toBe('It is sunny in Rome.'))
    expect(cities).toEqual(['Rome'])
    expect(ask.errors).toEqual([])
  })

  it('is interrupted by speech, and plays no more of the answer', async () => {
    using talk = await connect('drawl')
    const interrupted = createDeferred<void>()
    talk.session.on('audio_interrupted', () => interrupted.resolve())
    talk.session.sendMessage('Hello!')
    await eventually(() => expect(talk.sound.length).toBeGreaterThan(0))
    say(talk.session, question)
    await interrupted.promise
    await eventually(() => expect(JSON.stringify(talk.session.history)).toContain(QUESTION))
  })
})

describe.skipIf(chromiumPath === undefined)('the official client in Chromium, in a page of another origin', () => {
  // verifies realtime:secret:create
  // verifies realtime:secret:expiry
  it('answers text with a secret that it made itself, and is refused with an expired one', async () => {
    const recite = { baseURL: `${relay.url}/v1`, model: 'recite' }
    await using page = await openOfficialPage()
    const secret = await page.makeSecret({ ...recite, apiKey: KEY })
    const answer = await page.ask({ ...recite, secret, text: 'Hello!' })
    expect(answer).toMatchObject({ text: ANSWER, closed: undefined, errors: [] })
    expect([answer.types[0], answer.types.at(-1)]).toEqual(['session.created', 'response.done'])
    // its end is told in whole seconds
    await eventually(() => expect(Date.now()).toBeGreaterThan((expired.expires_at + 1) * 1000))
    const refused = await page.ask({ ...recite, secret: expired.value, text: 'Hello!' })
    expect(refused).toMatchObject({ types: [], closed: { code: 1006, wasOpen: false } })
    expect(refused.errors).toHaveLength(1)
  })
})

/** A folder of faster-whisper with a real model of English, which is not part of this repository. */
const REAL_MODEL = process.env.WHISPER_FOLDER

it.runIf(REAL_MODEL)('a real Whisper model hears what was said', async () => {
  const { code, stderr } = await runBuilt(server.folder, ['models', 'convert', REAL_MODEL ?? '', '--name', 'real'])
  expect([code, stderr]).toEqual([0, expect.any(String)])
  const pipeline = { vad: 'demo-vad', transcription: 'real', llm: 'sure', tts: 'demo-voice' }
  await server.model('hear', {}, toPipelineKeys(pipeline))
  using hear = await converse(inNode('hear'), VAD)
  hear.say(question)
  const { transcript } = await hear.until('conversation.item.input_audio_transcription.completed')
  expect(measureWordErrors(QUESTION, transcript), transcript).toBeLessThan(0.25)
  expect((await hear.until('response.done')).response.status).toBe('completed')
})
