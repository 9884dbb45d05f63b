import { describe, expect, it } from 'vitest'
import { collect, cutBytes, file, json, readText, sse, startWorld, wav } from '../../test/service-world.ts'
import { readWavHead } from './wav-head.ts'

const signal = new AbortController().signal
const call = { signal }
const speech = { text: 'Hello', voice: '/voices/ada.wav', params: {} }

describe('speech', () => {
  // verifies service-proxy:limit:voice-paths
  it('is a file; the path of a voice goes as it is', async () => {
    await using world = await startWorld()
    world.instance.enqueue(file('sound', 'audio/wav'))
    expect(await readText(await world.service.speak({ ...speech, language: 'de', instructions: '' }, call))).toBe(
      'sound',
    )
    expect(world.instance.requests[0]?.path).toBe('/tts')
    expect(world.asked()).toEqual({ model: 'm', input: 'Hello', voice: '/voices/ada.wav', language: 'de' })
  })

  it('streams its rate, then its samples', async () => {
    await using world = await startWorld()
    world.instance.enqueue(file(wav(22_050, Buffer.from('samples!')), 'audio/wav'))
    const pieces = await collect(world.service.speakStream(speech, call))
    expect(pieces[0]).toEqual({ sampleRate: 22_050 })
    const samples = pieces.slice(1).map((piece) => ('audio' in piece ? Buffer.from(piece.audio) : Buffer.of()))
    expect(Buffer.concat(samples).toString()).toBe('samples!')
    expect(world.asked()).toMatchObject({ stream: true })
  })

  it('that fails before it begins keeps its class', async () => {
    await using world = await startWorld()
    world.instance.replyWith(json({ error: { message: 'no voice' } }, 400))
    await expect(world.service.speak(speech, call)).rejects.toMatchObject({ kind: 'invalid_request' })
    await expect(collect(world.service.speakStream(speech, call))).rejects.toMatchObject({ kind: 'invalid_request' })
  })

  it('cut off in the middle of its stream is unavailable', async () => {
    await using world = await startWorld()
    world.instance.enqueue({ headers: { 'content-type': 'audio/wav' }, body: wav(8000, Buffer.of(1)), end: 'cut' })
    await expect(collect(world.service.speakStream(speech, call))).rejects.toMatchObject({ kind: 'unavailable' })
  })
})

describe('the head of a streamed file', () => {
  const bytes = wav(16_000, Buffer.from('abcdef'))

  it('is found wherever the bytes are cut', async () => {
    for (let offset = 0; offset <= bytes.length; offset += 1) {
      const [head, ...rest] = await collect(readWavHead(cutBytes(bytes, offset)))
      expect(head).toEqual({ sampleRate: 16_000 })
      expect(
        Buffer.concat(rest.map((piece) => ('audio' in piece ? Buffer.from(piece.audio) : Buffer.of()))).toString(),
      ).toBe('abcdef')
    }
  })

  it('is found behind other chunks, such as the name of a program', async () => {
    const chunk = Buffer.from('LIST\x05\0\0\0INFOx\0', 'latin1')
    const longer = Buffer.concat([bytes.subarray(0, 36), chunk, bytes.subarray(36)])
    for (let offset = 0; offset <= longer.length; offset += 1) {
      const [head, ...rest] = await collect(readWavHead(cutBytes(longer, offset)))
      expect(head).toEqual({ sampleRate: 16_000 })
      const sound = rest.map((piece) => ('audio' in piece ? Buffer.from(piece.audio) : Buffer.of()))
      expect(Buffer.concat(sound).toString()).toBe('abcdef')
    }
  })

  it('is not looked for without end', async () => {
    const endless = Buffer.concat([bytes.subarray(0, 36), Buffer.from('LIST\xff\xff\xff\x7f', 'latin1')])
    const pieces = await collect(readWavHead(cutBytes(endless, 40)))
    expect(pieces).toEqual([{ audio: endless }])
  })

  it.each(['', 'R', 'ID3 something else', 'RIFF....AVI LIST', 'RIFF....WAVEfmt but nothing more'])(
    'is not found in %j: all of it is sound',
    async (text) => {
      const pieces = await collect(readWavHead(cutBytes(Buffer.from(text), 1)))
      const all = pieces.map((piece) => ('audio' in piece ? Buffer.from(piece.audio) : Buffer.from('?')))
      expect(Buffer.concat(all).toString()).toBe(text)
    },
  )
})

describe('sound of words', () => {
  it('sends only the given options', async () => {
    await using world = await startWorld()
    world.instance.enqueue(file('sound', 'audio/wav'))
    const input = { text: 'rain', duration: 2, temperature: 0, sample: false, bpm: undefined, caption: '', source: '' }
    expect(await readText(await world.service.makeSound(input, call))).toBe('sound')
    expect(world.instance.requests[0]?.path).toBe('/v1/sound-generation')
    expect(world.asked()).toEqual({
      model_id: 'm',
      text: 'rain',
      duration_seconds: 2,
      prompt_influence: 0,
      do_sample: false,
    })
  })
})

describe('a transcript', () => {
  const input = {
    file: { bytes: Buffer.from('RIFF'), name: 'a.wav' },
    language: '',
    prompt: '',
    temperature: 0,
    translate: false,
    diarize: false,
    granularities: [],
  }
  const segment = { id: 4, start: 0.5, end: 1.25, text: 'hi', tokens: [1, 'x'], speaker: 'S' }

  it('has its times in nanoseconds, and always says whether speakers are told apart', async () => {
    await using world = await startWorld()
    world.instance.enqueue(json({ text: 'hi', language: 'en', duration: 1.5, segments: [segment] }))
    expect(await world.service.transcribe(input, call)).toEqual({
      text: 'hi',
      language: 'en',
      duration: 1.5,
      segments: [{ id: 4, start: 500_000_000n, end: 1_250_000_000n, text: 'hi', tokens: [1], speaker: 'S', words: [] }],
    })
    expect(world.instance.requests[0]?.path).toBe('/v1/audio/transcriptions')
    expect(world.askedForm()).toEqual([
      ['model', 'm'],
      ['file', 'RIFF'],
      ['response_format', 'verbose_json'],
      ['diarize', 'false'],
    ])
  })

  it('is asked for with everything that was said', async () => {
    await using world = await startWorld()
    world.instance.enqueue(json({ text: '' }))
    const all = { language: 'de', prompt: 'p', temperature: 0.5, translate: true, diarize: true }
    await world.service.transcribe({ ...input, ...all, granularities: ['word', 'segment'] }, call)
    expect(world.askedForm().slice(3)).toEqual([
      ['diarize', 'true'],
      ['language', 'de'],
      ['prompt', 'p'],
      ['temperature', '0.5'],
      ['translate', 'true'],
      ['timestamp_granularities[]', 'word'],
      ['timestamp_granularities[]', 'segment'],
    ])
  })

  it('has its words in the segment that they start in', async () => {
    await using world = await startWorld()
    const segments = [
      { start: 0, end: 1, text: 'a b' },
      { start: 1, end: 2, text: 'c' },
    ]
    const words = [
      { start: 0, end: 0.5, word: 'a' },
      { start: 0.5, end: 1, text: 'b' },
      { start: 1, end: 2, word: 'c' },
    ]
    world.instance.enqueue(json({ text: 'a b c', segments, words }))
    const transcript = await world.service.transcribe(input, call)
    expect(transcript.segments.map((part) => part.words.map(({ text }) => text))).toEqual([['a', 'b'], ['c']])
  })

  it('streams pieces of text, the whole text last', async () => {
    await using world = await startWorld()
    world.instance.enqueue(
      sse({ type: 'transcript.text.delta', delta: 'h' }, { type: 'other' }, 'not JSON', {
        type: 'transcript.text.done',
        text: 'hi',
      }),
    )
    expect(await collect(world.service.transcribeStream(input, call))).toEqual([
      { delta: 'h' },
      { transcript: { text: 'hi', language: '', duration: 0, segments: [] } },
    ])
    expect(world.askedForm().at(-1)).toEqual(['stream', 'true'])
  })

  it.each([
    [[{ type: 'transcript.text.delta', delta: 'h' }], 'the upstream'],
    [[{ type: 'error', error: { message: 'broke' } }], 'broke'],
  ])('with the stream %j is unavailable', async (events, message) => {
    await using world = await startWorld()
    world.instance.enqueue(sse(...events))
    await expect(collect(world.service.transcribeStream(input, call))).rejects.toMatchObject({
      kind: 'unavailable',
      message: expect.stringContaining(message),
    })
  })
})

describe('a streamed file of other samples', () => {
  /** A file with its samples of one form. */
  const write = (kind: number, channels: number, bits: number, samples: Buffer): Buffer => {
    const bytes = Buffer.from(wav(16_000, samples))
    bytes.writeUInt16LE(kind, 20)
    bytes.writeUInt16LE(channels, 22)
    bytes.writeUInt16LE(bits, 34)
    return bytes
  }
  const floats = Buffer.from(Float32Array.of(0.5, -1.5, Number.NaN, 0.25).buffer)
  const shorts = Buffer.from(Int16Array.of(100, 200, -300, -100).buffer)

  it.each<[string, Buffer, readonly number[]]>([
    ['in stereo', write(1, 2, 16, shorts), [150, -200]],
    ['of 8 bits', write(1, 1, 8, Buffer.of(0, 128, 255)), [-32_768, 0, 32_512]],
    ['of 24 bits', write(1, 1, 24, Buffer.of(0, 1, 0, 0, 0, 0x80)), [1, -32_768]],
    ['of 32 bits', write(1, 1, 32, Buffer.of(0, 0, 2, 0)), [2]],
    ['of floats', write(3, 1, 32, floats), [16_384, -32_768, 0, 8192]],
    ['of floats in stereo', write(3, 2, 32, floats.subarray(0, 8)), [-16_384]],
    ['of 16 bits in one channel', write(1, 1, 16, shorts), [100, 200, -300, -100]],
  ])('%s comes as 16 bits of one channel, wherever it is cut', async (_, bytes, samples) => {
    for (let offset = 0; offset <= bytes.length; offset += 1) {
      const [head, ...rest] = await collect(readWavHead(cutBytes(bytes, offset)))
      expect(head).toEqual({ sampleRate: 16_000 })
      const sound = Buffer.concat(rest.map((piece) => ('audio' in piece ? Buffer.from(piece.audio) : Buffer.of())))
      expect([...new Int16Array(Uint8Array.from(sound).buffer)]).toEqual(samples)
    }
  })

  it.each([
    ['compressed', write(7, 1, 8, shorts)],
    ['of no channel', write(1, 0, 16, shorts)],
    ['of 33 channels', write(1, 33, 16, shorts)],
    ['of 12 bits', write(1, 1, 12, shorts)],
  ])('%s is refused', async (_, bytes) => {
    await expect(collect(readWavHead(cutBytes(bytes, 50)))).rejects.toMatchObject({ code: 'upstream_unreadable' })
  })
})
