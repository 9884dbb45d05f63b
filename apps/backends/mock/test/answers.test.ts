import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { EmbeddingLayout, StatusResponse_State } from '@svc/backend-client/proto'
import { expect, it } from 'vitest'
import { collect, startMock } from './world.ts'

it('embeds text and tokens alike', async () => {
  await using world = await startMock({ embeddingDimension: 8 })
  const { tokens } = await world.client.tokenizeString({ Prompt: 'red apple' })
  const text = await world.client.embedding({ Embeddings: 'red apple' })
  expect(text).toMatchObject({ dim: 8, tokens: 1, promptTokens: 2, layout: EmbeddingLayout.EMBEDDING_LAYOUT_FINAL })
  expect((await world.client.embedding({ EmbeddingTokens: tokens })).embeddings).toEqual(text.embeddings)
})

it('gives a vector for each token where the script says so', async () => {
  await using world = await startMock({ embeddingDimension: 4, embeddingLayout: 'per-token' })
  const { embeddings, tokens, dim, layout } = await world.client.embedding({ Embeddings: 'a b c' })
  expect([embeddings.length, tokens, dim]).toEqual([12, 3, 4])
  expect(layout).toBe(EmbeddingLayout.EMBEDDING_LAYOUT_PER_TOKEN)
})

it('tokenizes by words and back', async () => {
  await using world = await startMock()
  const { tokens, length } = await world.client.tokenizeString({ Prompt: 'red apple' })
  expect(length).toBe(2)
  expect(await world.client.detokenize({ tokens })).toEqual({ content: 'red apple' })
})

it('ranks by common words, keeps the best, leaves the sorting to the host', async () => {
  await using world = await startMock()
  const documents = ['nothing', 'a red car', 'a red apple']
  const all = await world.client.rerank({ query: 'red apple', documents })
  expect(all.results.map(({ index, relevanceScore }) => [index, relevanceScore])).toEqual([
    [0, 0],
    [1, 0.5],
    [2, 1],
  ])
  const best = await world.client.rerank({ query: 'red apple', documents, topN: 2 })
  expect(best.results.map(({ index }) => index)).toEqual([1, 2])
})

it('scores candidates, likelier where the prompt has their words', async () => {
  await using world = await startMock()
  const { candidates } = await world.client.score({
    prompt: 'is this code or chat? code',
    candidates: ['code', 'poem', 'code poem'],
    includeTokenLogprobs: true,
    lengthNormalize: true,
  })
  const [code, poem, both] = candidates
  expect(code?.logProb).toBeGreaterThan(poem?.logProb ?? 0)
  expect(both?.tokens.map(({ token }) => token)).toEqual(['code', ' poem'])
  expect(both?.lengthNormalizedLogProb).toBeCloseTo((both?.logProb ?? 0) / 2, 10)
})

it('decides by the words of a question', async () => {
  await using world = await startMock()
  const { answers } = await world.client.extensions.decide({
    document: 'please write code',
    questions: [
      { id: 'p0', trueCriteria: 'code' },
      { id: 'p1', instruction: 'poem' },
    ],
  })
  expect(answers.map(({ id }) => id)).toEqual(['p0', 'p1'])
  expect(answers[0]?.probability).toBeCloseTo(0.95, 10)
  expect(answers[1]?.probability).toBeCloseTo(0.05, 10)
})

it('keeps vectors', async () => {
  await using world = await startMock()
  const Keys = [{ Floats: [1, 0] }, { Floats: [0, 1] }]
  await world.client.storesSet({ Keys, Values: [{ Bytes: Buffer.from('a') }, { Bytes: Buffer.from('b') }] })
  const found = await world.client.storesFind({ Key: { Floats: [1, 0] }, TopK: 1 })
  expect(found).toEqual({ Keys: [{ Floats: [1, 0] }], Values: [{ Bytes: Buffer.from('a') }], Similarities: [1] })
  await world.client.storesDelete({ Keys: Keys.slice(0, 1) })
  expect((await world.client.storesGet({ Keys })).Values).toEqual([{ Bytes: Buffer.from('b') }])
  await expect(world.client.storesSet({ Keys, Values: [] })).rejects.toMatchObject({ kind: 'invalid_request' })
})

it('hears where it is loud', async () => {
  await using world = await startMock()
  const audio = Array.from({ length: 16_000 }, (_, index) => (index >= 4000 && index < 8000 ? 0.5 : 0))
  const { segments } = await world.client.vad({ audio })
  expect(segments).toEqual([{ start: 0.25, end: 0.5 }])
  expect((await world.client.vad({ audio: audio.slice(0, 6000) })).segments).toEqual([{ start: 0.25, end: 0 }])
})

it('speaks into a file and as a stream, and transcribes its speech', async () => {
  await using world = await startMock()
  const dst = join(world.folder, 'deep/speech.wav')
  expect((await world.client.tts({ text: 'one two three', dst })).success).toBe(true)
  const transcript = await world.client.audioTranscription({ dst, timestampGranularities: ['word'] })
  expect(transcript.duration).toBeCloseTo(0.3, 3)
  expect(transcript.segments[0]?.words).toHaveLength(5)
  expect(transcript.segments[0]?.end).toBe(300_000_000n)
  const streamed = await collect(world.client.audioTranscriptionStream({ dst }))
  expect(streamed.map(({ delta }) => delta).join('')).toBe(transcript.text)
  expect(streamed.at(-1)?.finalResult?.text).toBe(transcript.text)

  const [head, ...audio] = await collect(world.client.ttsStream({ text: 'one two' }))
  expect(JSON.parse(head?.message.toString() ?? '')).toEqual({ sample_rate: 16_000 })
  expect(audio.map((reply) => reply.audio.length)).toEqual([3200, 3200])
})

it('transcribes live: ready, deltas, then the result once the caller is done', async () => {
  await using world = await startMock()
  const call = world.client.audioTranscriptionLive()
  await call.write({ config: { sampleRate: 16_000 } })
  await call.write({ audio: { pcm: [0, 0, 0, 0] } })
  call.end()
  const replies = await collect(call)
  expect(replies.map(({ ready, delta, finalResult }) => [ready, delta, finalResult !== undefined])).toEqual([
    [true, '', false],
    [false, '[4]', false],
    [false, '', true],
  ])
})

it('transcribes by the script: by length, in an order, while the sound lasts', async () => {
  const transcripts = [{ text: 'mhm', maxSeconds: 0.5 }, { text: 'a long sentence' }]
  await using world = await startMock({
    rules: [
      { rpc: 'AudioTranscription', do: { transcripts } },
      { rpc: 'AudioTranscriptionStream', do: { texts: ['first', 'then second'] } },
      { rpc: 'AudioTranscriptionLive', do: { text: 'one two three' } },
      { rpc: 'TTS*', do: { secondsPerCharacter: 0.25 } },
    ],
  })
  const { client, folder } = world
  const [short, long] = [join(folder, 'short.wav'), join(folder, 'long.wav')]
  await client.tts({ text: 'ab', dst: short })
  await client.tts({ text: 'abc', dst: long })
  expect(await client.audioTranscription({ dst: short })).toMatchObject({ text: 'mhm', duration: 0.5 })
  expect((await client.audioTranscription({ dst: long })).text).toBe('a long sentence')
  const said = []
  for (let count = 0; count < 3; count += 1) {
    said.push((await collect(client.audioTranscriptionStream({ dst: long }))).map(({ delta }) => delta))
  }
  expect(said).toEqual([
    ['first', ''],
    ['then', ' second', ''],
    ['then', ' second', ''],
  ])
  const [, ...audio] = await collect(client.ttsStream({ text: 'ab cde' }))
  expect(audio.map((reply) => reply.audio.length)).toEqual([16_000, 32_000])

  const live = client.audioTranscriptionLive()
  await live.write({ config: {} })
  await live.write({ audio: { pcm: Array.from({ length: 3200 }, () => 0) } })
  await live.write({ audio: { pcm: [0] } })
  live.end()
  expect((await collect(live)).map(({ delta, finalResult }) => finalResult?.text ?? delta)).toEqual([
    ...['', 'one', ' two', ' three'],
    'one two three',
  ])
})

it('holds a scripted conversation of an any-to-any model', async () => {
  const toolCalls = [{ id: 'call_a', name: 'weather', arguments: { city: 'Rome' } }]
  await using world = await startMock({
    rules: [{ rpc: 'AudioToAudioStream', do: { text: 'Hi you', toolCalls, secondsPerCharacter: 0.1 } }],
  })
  const talk = world.client.audioToAudioStream()
  await talk.write({ frame: { pcm: Buffer.from('ab'), endOfInput: true } })
  talk.end()
  const parts = (await collect(talk)).map(({ event, pcm, meta }) => [
    event.replace('response.', ''),
    pcm.length > 0 ? pcm.length : JSON.parse(meta.toString()),
  ])
  const call = { call_id: 'call_a', name: 'weather' }
  expect(parts).toEqual([
    ['audio_transcript.delta', { delta: 'Hi' }],
    ['audio.delta', 6400],
    ['audio_transcript.delta', { delta: ' you' }],
    ['audio.delta', 12_800],
    ['function_call_arguments.delta', { ...call, delta: '{"city":"Rome"}' }],
    ['function_call_arguments.done', { ...call, arguments: '{"city":"Rome"}' }],
    ['done', {}],
  ])
})

it('finds speech, sounds and speakers by the script', async () => {
  const segments = [{ start: 0.5, end: 1 }]
  await using world = await startMock({
    rules: [
      { rpc: 'VAD', call: 1, do: { answer: { segments } } },
      { rpc: 'SoundDetection', do: { answer: { detections: [{ label: 'Doorbell', score: 0.8 }] } } },
      { rpc: 'VoiceVerify', call: 2, do: { failure: { status: 'UNAVAILABLE', message: 'no voice' } } },
      { rpc: 'VoiceVerify', do: { answer: { verified: true, distance: 0.1 } } },
    ],
  })
  const { client } = world
  expect((await client.vad({ audio: [0, 0] })).segments).toEqual(segments)
  expect((await client.vad({ audio: [0, 0] })).segments).toEqual([])
  expect((await client.soundDetection({})).detections).toMatchObject([{ label: 'Doorbell' }])
  const verify = () => client.voiceVerify({ audio1: 'a', audio2: 'b' })
  expect(await verify()).toMatchObject({ verified: true })
  await expect(verify()).rejects.toMatchObject({ kind: 'unavailable' })
})

it('draws a picture of the size that is asked for', async () => {
  await using world = await startMock()
  const dst = join(world.folder, 'a.png')
  await world.client.generateImage({ dst, width: 32, height: 16, positivePrompt: 'a cat' })
  expect(readFileSync(dst).readUInt32BE(16)).toBe(32)
  const large = join(world.folder, 'b.png')
  await world.client.upscaleImage({ src: dst, dst: large, scale: 4 })
  expect(readFileSync(large).readUInt32BE(20)).toBe(64)
})

it('tells how it is', async () => {
  await using world = await startMock()
  const status = await world.client.status({})
  expect(status.state).toBe(StatusResponse_State.READY)
  expect(status.memory?.total).toBeGreaterThan(0n)
  await world.client.predict({ Prompt: 'one two' })
  expect(await world.client.getMetrics({})).toMatchObject({ promptTokensProcessed: 2, tokensGenerated: 5 })
})

it('answers every other rpc', async () => {
  await using world = await startMock()
  const { client, folder } = world
  const wav = join(folder, 'a.wav')
  await client.soundGeneration({ dst: wav, duration: 1 })
  expect((await client.diarize({ dst: wav })).numSpeakers).toBe(2)
  expect((await client.soundDetection({ topK: 1 })).detections).toHaveLength(1)
  const pcmData = Buffer.alloc(4000, 7)
  const { frames } = await client.audioEncode({ pcmData })
  expect((await client.audioDecode({ frames })).pcmData).toEqual(pcmData)
  expect((await client.audioTransform({ audioPath: wav, dst: `${wav}.out` })).samples).toBe(16_000)
  expect((await client.detect({ prompt: 'cat' })).Detections[0]?.className).toBe('cat')
  expect((await client.depth({ includeDepth: true })).depth).toHaveLength(4)
  expect(await client.faceVerify({ img1: 'a', img2: 'a' })).toMatchObject({ verified: true, distance: 0 })
  expect(await client.voiceVerify({ audio1: 'a', audio2: 'b' })).toMatchObject({ verified: false, distance: 1 })
  expect((await client.faceAnalyze({})).faces).toHaveLength(1)
  expect((await client.voiceAnalyze({})).segments).toHaveLength(1)
  expect((await client.voiceEmbed({ audio: 'a' })).embedding).toHaveLength(64)
  expect((await client.modelMetadata({})).supportsThinking).toBe(false)
  for (const [name, head] of [
    ['v.mp4', '    ftyp'],
    ['s.glb', 'glTF'],
  ] as const) {
    const dst = join(folder, name)
    await (name === 'v.mp4' ? client.generateVideo({ dst }) : client.generate3D({ dst }))
    expect(readFileSync(dst).toString('latin1', head.startsWith(' ') ? 4 : 0, 8)).toContain(head.trim())
  }
  const { jobId } = await client.startFineTune({ model: 'm' })
  expect((await collect(client.fineTuneProgress({ jobId }))).at(-1)?.status).toBe('completed')
  expect((await collect(client.quantizationProgress({ jobId: 'q' }))).at(-1)?.outputFile).toBe('q.gguf')
  for (const call of [client.stopFineTune, client.exportModel, client.stopQuantization]) {
    expect((await call({})).success).toBe(true)
  }
  expect((await client.startQuantization({})).success).toBe(true)
  expect((await client.listCheckpoints({ outputDir: '/o' })).checkpoints[0]?.path).toBe('/o/checkpoint-1')
})

it('echoes streams in both directions', async () => {
  await using world = await startMock()
  const relay = world.client.forward()
  await relay.write({ path: '/v1/x', method: 'POST', bodyChunk: Buffer.from('a') })
  await relay.write({ bodyChunk: Buffer.from('b') })
  relay.end()
  const replies = await collect(relay)
  expect(replies.map(({ status, bodyChunk }) => [status, bodyChunk.toString()])).toEqual([
    [200, 'a'],
    [0, 'b'],
  ])

  const talk = world.client.audioToAudioStream()
  await talk.write({ config: {} })
  await talk.write({ frame: { pcm: Buffer.from('ab') } })
  await talk.write({ frame: { pcm: Buffer.from('cd'), endOfInput: true } })
  talk.end()
  const events = await collect(talk)
  expect(events.map(({ event }) => event)).toEqual([
    'response.audio_transcript.delta',
    'response.audio.delta',
    'response.done',
  ])
  expect(events[1]?.pcm.toString()).toBe('abcd')

  const frames = world.client.audioTransformStream()
  await frames.write({ config: {} })
  await frames.write({ frame: { audioPcm: Buffer.from('x') } })
  frames.end()
  expect((await collect(frames)).map(({ pcm, frameIndex }) => [pcm.toString(), frameIndex])).toEqual([['x', 0n]])
})
