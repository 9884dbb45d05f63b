import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { ApiError } from '../api-error.ts'
import { createObservable } from '../chat/observable.ts'
import { type Connected, connect } from './connect.ts'
import { CallFault, type LinkOptions, type Transport } from './link.ts'
import type { TalkSettings } from './session-settings.ts'
import { createTalk, type TalkPorts, type TalkStart } from './talk.ts'

const SETTINGS: TalkSettings = {
  isPushToTalk: false,
  detection: 'server_vad',
  eagerness: 'auto',
  mayInterrupt: true,
  isSilent: false,
  voice: '',
  instructions: '',
}
const START: TalkStart = {
  model: 'talk',
  transcription: 'whisper',
  transport: 'websocket',
  settings: SETTINGS,
  hasMicrophone: true,
}
const CREATED = { type: 'session.created', session: { id: 'sess_1', audio: { input: { transcription: null } } } }

interface Sent {
  readonly type: string
  readonly [field: string]: unknown
}

/** A browser whose microphone, voice and link the test drives. */
function createBrowser(transport: Transport = 'websocket') {
  const sent: Sent[] = []
  const track = Object.assign(new EventTarget(), { enabled: true, stop: vi.fn() })
  const microphone = { getTracks: () => [track], getAudioTracks: () => [track] } as unknown as MediaStream
  const isPlaying = createObservable(false)
  const heard = [{ itemId: 'a1', contentIndex: 0, playedMs: 420 }]
  const voice = {
    isPlaying,
    stream: {} as MediaStream,
    play: vi.fn((_: object, samples: Float32Array) => isPlaying.set(samples.length > 0)),
    stop: vi.fn(() => {
      const wasPlaying = isPlaying.get()
      isPlaying.set(false)
      return wasPlaying ? heard : []
    }),
    close: vi.fn(),
  }
  let options: LinkOptions | undefined
  let speak: ((samples: Float32Array) => void) | undefined
  let now = 0
  const close = vi.fn()
  const connectTo = vi.fn(async (_: string, given: LinkOptions): Promise<Connected> => {
    options = given
    return { link: { transport, send: (event) => void sent.push(event), close } }
  })
  const ports: TalkPorts = {
    openMicrophone: vi.fn(async () => microphone),
    openVoice: () => voice,
    connect: connectTo,
    captureSound: async (_, onSamples) => {
      speak = onSamples
      return { close: vi.fn() }
    },
    now: () => now,
  }
  const talk = createTalk(ports)
  return {
    talk,
    ports,
    sent,
    track,
    voice,
    close,
    connectTo,
    pass: (ms: number) => {
      now += ms
    },
    say: () => speak?.(new Float32Array(960)),
    /** Events of the server. */
    receive: (...events: readonly object[]) => {
      for (const event of events) options?.listener.onEvent(JSON.stringify(event))
    },
    end: (code: number, reason = '') => options?.listener.onEnd({ code, reason }),
    types: () => sent.map(({ type }) => type),
  }
}

async function start(browser: ReturnType<typeof createBrowser>, options: Partial<TalkStart> = {}): Promise<void> {
  await browser.talk.start({ ...START, ...options })
  browser.receive(CREATED)
  browser.sent.length = 0
}

const response = (type: string, id = 'resp_1') => ({ type, response: { id, status: 'completed', output: [] } })
const delta = {
  type: 'response.output_audio.delta',
  response_id: 'resp_1',
  item_id: 'a1',
  content_index: 0,
  delta: 'AAA=',
}

describe('a conversation of the page', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it('begins with a press, and tells the session what the viewer chose', async () => {
    const browser = createBrowser()
    const phases: string[] = []
    browser.talk.state.subscribe(() => phases.push(browser.talk.state.get().phase))
    expect(browser.ports.openMicrophone).not.toHaveBeenCalled()
    const settings = {
      ...SETTINGS,
      detection: 'semantic_vad',
      eagerness: 'high',
      voice: 'anna ',
      instructions: 'Be short.',
    } as const
    await browser.talk.start({ ...START, settings })
    expect(browser.talk.state.get().phase).toBe('loading')
    // nobody hears the viewer while the models load
    browser.say()
    expect(browser.track.enabled).toBe(false)
    expect(browser.sent).toEqual([])
    browser.receive(CREATED)
    expect(browser.track.enabled).toBe(true)
    expect([...new Set(phases)]).toEqual(['asking', 'connecting', 'loading', 'live'])
    expect(browser.sent).toMatchObject([
      {
        type: 'session.update',
        session: {
          instructions: 'Be short.',
          output_modalities: ['audio'],
          audio: {
            input: {
              format: { type: 'audio/pcm', rate: 24_000 },
              transcription: { model: 'whisper' },
              turn_detection: { type: 'semantic_vad', eagerness: 'high', interrupt_response: true },
            },
            output: { voice: 'anna' },
          },
        },
      },
    ])
    browser.say()
    expect(browser.types()).toEqual(['session.update', 'input_audio_buffer.append'])
  })

  it('tells changes alone, and no format where sound is in a call', async () => {
    const browser = createBrowser('webrtc')
    await start(browser, { settings: { ...SETTINGS, instructions: 'Be short.' } })
    browser.talk.change({ ...SETTINGS, instructions: '', isSilent: true })
    browser.talk.change({ ...SETTINGS, isPushToTalk: true })
    expect(browser.sent).toMatchObject([
      { session: { instructions: '', output_modalities: ['text'] } },
      { session: { output_modalities: ['audio'], audio: { input: { turn_detection: null } } } },
    ])
    expect(browser.sent[1]).not.toHaveProperty('session.instructions')
    expect(browser.sent[1]).not.toHaveProperty('session.audio.input.format')
    browser.say()
    expect(browser.sent).toHaveLength(2)
  })

  it('leaves the end of turns to the pipeline, or gives it the usual one', async () => {
    const browser = createBrowser()
    await browser.talk.start({ ...START, settings: { ...SETTINGS, detection: 'pipeline', mayInterrupt: false } })
    const own = { type: 'semantic_vad', eagerness: 'low', create_response: true, interrupt_response: true }
    browser.receive({ type: 'session.created', session: { audio: { input: { turn_detection: own } } } })
    browser.receive({ type: 'session.updated', session: { audio: { input: { turn_detection: null } } } })
    browser.talk.change({ ...SETTINGS, detection: 'pipeline' })
    const detections = browser.sent.map(({ session }) => session)
    expect(detections).toMatchObject([
      { audio: { input: { turn_detection: { ...own, interrupt_response: false } } } },
      { audio: { input: { turn_detection: own } } },
    ])
    const bare = createBrowser()
    await bare.talk.start({ ...START, settings: { ...SETTINGS, detection: 'pipeline' } })
    bare.receive({ type: 'session.created', session: {} })
    expect(bare.sent).toMatchObject([{ session: { audio: { input: { turn_detection: { type: 'server_vad' } } } } }])
  })

  it('falls silent when the viewer speaks, and says what was heard', async () => {
    const browser = createBrowser()
    await start(browser)
    browser.receive(response('response.created'), delta)
    expect(browser.talk.state.get().isSpeaking).toBe(true)
    browser.receive({ type: 'input_audio_buffer.speech_started', item_id: 'u2' }, delta)
    expect(browser.sent).toMatchObject([
      { type: 'conversation.item.truncate', item_id: 'a1', content_index: 0, audio_end_ms: 420 },
    ])
    // sound that was on its way is not played
    expect(browser.voice.play).toHaveBeenCalledTimes(1)
    expect(browser.talk.state.get().isSpeaking).toBe(false)
  })

  it('cancels the answer before it says what was heard of it', async () => {
    const browser = createBrowser()
    await start(browser)
    browser.receive(response('response.created'), delta)
    browser.talk.interrupt()
    expect(browser.types()).toEqual(['response.cancel', 'conversation.item.truncate'])
  })

  it('plays an answer that begins while the viewer speaks, unless the server ends it', async () => {
    const browser = createBrowser()
    await start(browser)
    browser.receive(response('response.created'), { type: 'input_audio_buffer.speech_started', item_id: 'u2' }, delta)
    expect(browser.voice.play).toHaveBeenCalledTimes(1)
    expect(browser.sent).toEqual([])
  })

  it('goes on speaking where the session does not let itself be interrupted', async () => {
    const browser = createBrowser()
    await start(browser)
    const session = { audio: { input: { turn_detection: { type: 'server_vad', interrupt_response: false } } } }
    browser.receive({ type: 'session.updated', session }, response('response.created'), delta)
    browser.receive({ type: 'input_audio_buffer.speech_started', item_id: 'u2' }, delta)
    expect(browser.sent).toEqual([])
    expect(browser.voice.play).toHaveBeenCalledTimes(2)
  })

  it('speaks by a press: nothing before, a moment after, and never an empty turn', async () => {
    const browser = createBrowser()
    await start(browser, { settings: { ...SETTINGS, isPushToTalk: true } })
    expect(browser.track.enabled).toBe(false)
    browser.say()
    browser.talk.hold()
    expect(browser.talk.state.get().isHeld).toBe(true)
    expect(browser.track.enabled).toBe(true)
    browser.say()
    browser.pass(900)
    browser.talk.release()
    browser.say()
    vi.runAllTimers()
    browser.say()
    const spoken = ['input_audio_buffer.append', 'input_audio_buffer.append']
    expect(browser.types()).toEqual([
      'input_audio_buffer.clear',
      ...spoken,
      'input_audio_buffer.commit',
      'response.create',
    ])
    expect(browser.track.enabled).toBe(false)
    browser.sent.length = 0
    browser.talk.hold()
    browser.pass(50)
    browser.talk.release()
    vi.runAllTimers()
    expect(browser.types()).toEqual(['input_audio_buffer.clear', 'input_audio_buffer.clear'])
    expect(browser.talk.state.get()).toMatchObject({ isHeld: false, isTooShort: true })
  })

  it('replaces the answer that is made when the viewer says something else', async () => {
    const browser = createBrowser()
    await start(browser)
    browser.talk.say('One')
    browser.talk.say('Two')
    expect(browser.types()).toEqual(['conversation.item.create', 'response.create', 'conversation.item.create'])
    browser.receive(response('response.created'))
    expect(browser.types().at(-1)).toBe('response.cancel')
    browser.receive(response('response.done'))
    expect(browser.types().slice(-2)).toEqual(['response.cancel', 'response.create'])
    browser.receive(response('response.created', 'resp_2'), response('response.done', 'resp_2'))
    expect(browser.types().filter((type) => type === 'response.create')).toHaveLength(2)
  })

  it('asks again after a refused question, and says nothing of a cancellation that came too late', async () => {
    const browser = createBrowser()
    await start(browser)
    browser.talk.say('One')
    browser.talk.say('Two')
    const asked = browser.sent.find(({ type }) => type === 'response.create')
    browser.receive({ type: 'error', error: { code: 'busy', message: 'No.', event_id: asked?.event_id } })
    expect(browser.types().at(-1)).toBe('response.create')
    expect(browser.talk.state.get().conversation.fault?.code).toBe('busy')
    browser.receive(response('response.created'))
    browser.receive({ type: 'error', error: { code: 'response_cancel_not_active', message: 'None.' } })
    expect(browser.talk.state.get().conversation.fault).toBeUndefined()
  })

  it('stops the voice of the server over WebRTC', async () => {
    const browser = createBrowser('webrtc')
    await start(browser)
    browser.receive(response('response.created'), { type: 'output_audio_buffer.started', response_id: 'resp_1' })
    expect(browser.talk.state.get().isSpeaking).toBe(true)
    browser.talk.interrupt()
    expect(browser.types()).toEqual(['response.cancel', 'output_audio_buffer.clear'])
  })

  it('answers a question for consent', async () => {
    const browser = createBrowser()
    await start(browser)
    browser.receive({
      type: 'conversation.item.added',
      item: { id: 'q1', type: 'mcp_approval_request', name: 'write' },
    })
    browser.talk.consent('q1', true)
    expect(browser.sent).toMatchObject([
      { item: { type: 'mcp_approval_response', approval_request_id: 'q1', approve: true } },
      { type: 'response.create' },
    ])
    expect(browser.talk.state.get().conversation.entries[0]).toMatchObject({ answer: true })
  })

  it.each([
    ['denied', new DOMException('', 'NotAllowedError')],
    ['missing', new DOMException('', 'NotFoundError')],
    ['broken', new DOMException('', 'NotReadableError')],
  ])('says why there is no microphone: %s', async (fault, error) => {
    const browser = createBrowser()
    vi.mocked(browser.ports.openMicrophone ?? vi.fn()).mockRejectedValue(error)
    await browser.talk.start(START)
    expect(browser.talk.state.get()).toMatchObject({ phase: 'idle', fault })
    expect(browser.connectTo).not.toHaveBeenCalled()
    expect(browser.voice.close).toHaveBeenCalled()
    await start(browser, { hasMicrophone: false })
    expect(browser.talk.state.get()).toMatchObject({ phase: 'live' })
    expect(browser.talk.state.get().fault).toBeUndefined()
  })

  it('says that an insecure page has no microphone', async () => {
    const browser = createBrowser()
    const talk = createTalk({ ...browser.ports, openMicrophone: undefined })
    await talk.start(START)
    expect(talk.state.get()).toMatchObject({ phase: 'idle', fault: 'insecure' })
  })

  it('ends once, frees everything, and never begins again by itself', async () => {
    const browser = createBrowser()
    await start(browser)
    browser.receive({ type: 'conversation.item.added', item: { id: 'u1', type: 'message', role: 'user', content: [] } })
    browser.end(1008, 'access has ended')
    browser.end(1006)
    vi.runAllTimers()
    expect(browser.talk.state.get()).toMatchObject({
      phase: 'ended',
      end: { kind: 'closed', code: 1008, reason: 'access has ended' },
      conversation: { entries: [{ id: 'u1' }], isHearing: false },
    })
    expect(browser.track.stop).toHaveBeenCalled()
    expect(browser.voice.close).toHaveBeenCalledOnce()
    expect(browser.connectTo).toHaveBeenCalledOnce()
    browser.sent.length = 0
    browser.talk.say('Hello')
    browser.talk.hold()
    expect(browser.sent).toEqual([])
    await start(browser)
    expect(browser.talk.state.get()).toMatchObject({ phase: 'live', conversation: { entries: [] } })
  })

  it('ends a session that is refused before it begins', async () => {
    const browser = createBrowser()
    await browser.talk.start(START)
    browser.receive({ type: 'error', error: { code: 'model_load_error', message: 'No memory.' } })
    expect(browser.talk.state.get()).toMatchObject({
      phase: 'ended',
      end: { kind: 'refused', code: 'model_load_error', message: 'No memory.' },
    })
    expect(browser.close).toHaveBeenCalled()
  })

  it('stops while it begins, and drops what comes later', async () => {
    const browser = createBrowser()
    const begun = browser.talk.start(START)
    browser.talk.end()
    await begun
    expect(browser.talk.state.get()).toMatchObject({ phase: 'ended', end: { kind: 'own' } })
    expect(browser.connectTo).not.toHaveBeenCalled()
    expect(browser.track.stop).toHaveBeenCalled()
  })
})

describe('the way to the server', () => {
  const options = { signal: new AbortController().signal } as LinkOptions
  const socket = { transport: 'websocket', send() {}, close() {} } as const
  const openSocket = vi.fn(async () => socket)
  const call = (error?: Error) => async () => {
    if (error !== undefined) throw error
    return { ...socket, transport: 'webrtc' as const }
  }

  it.each([
    ['over WebRTC', call(), { transport: 'webrtc' }, undefined],
    ['without WebRTC in the browser', undefined, { transport: 'websocket' }, 'unsupported'],
    [
      'without WebRTC on the server',
      call(new ApiError('No.', { status: 501 })),
      { transport: 'websocket' },
      'not-served',
    ],
    ['through a firewall', call(new CallFault('No.')), { transport: 'websocket' }, 'not-connected'],
  ])('is found %s', async (_, openCall, link, fallback) => {
    const connected = await connect('auto', options, { openSocket, openCall })
    expect(connected.link).toMatchObject(link)
    expect(connected.fallback).toBe(fallback)
  })

  it('is not tried again where the server refuses the caller', async () => {
    openSocket.mockClear()
    const refusal = new ApiError('No.', { status: 403 })
    await expect(connect('auto', options, { openSocket, openCall: call(refusal) })).rejects.toBe(refusal)
    expect(openSocket).not.toHaveBeenCalled()
  })

  it('is the one that the viewer chose', async () => {
    const fault = new CallFault('No.')
    await expect(connect('webrtc', options, { openSocket, openCall: call(fault) })).rejects.toBe(fault)
    await expect(connect('webrtc', options, { openSocket, openCall: undefined })).rejects.toMatchObject({
      code: 'no_webrtc',
    })
    expect((await connect('websocket', options, { openSocket, openCall: call() })).link.transport).toBe('websocket')
  })
})
