import { readdir, readFile, writeFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { collect, file, json, type ServiceWorld, sse, startWorld } from './world.ts'

const PICTURE = 'iVBORw0KGgo='

/** Writes an audio file of the host. */
async function sound(world: ServiceWorld): Promise<string> {
  const path = world.folder.join('in.wav')
  await writeFile(path, 'RIFF')
  return path
}

const read = (world: ServiceWorld, name: string) => readFile(world.folder.join(name), 'utf8')

describe('texts', () => {
  it('are embedded, also as tokens', async () => {
    await using world = await startWorld()
    world.instance.replyWith(json({ data: [{ embedding: [0.5, -1] }], usage: { prompt_tokens: 3 } }))
    expect(await world.client.embedding({ Embeddings: 'x' })).toEqual({
      embeddings: [0.5, -1],
      tokens: 1,
      dim: 2,
      promptTokens: 3,
      layout: 1,
    })
    expect(world.asked().input).toBe('x')
    await world.client.embedding({ EmbeddingTokens: [1, 2] })
    expect(world.asked().input).toEqual([[1, 2]])
  })

  it('are cut by the instance where it can', async () => {
    await using world = await startWorld()
    const vector = json({ data: [{ embedding: [1] }], usage: { prompt_tokens: 2 } })
    const missing = json({ error: { message: 'Resource not found' } }, 404)
    world.instance.enqueue(json({ embeddings: [[0.5]], prompt_eval_count: 3 }), missing, vector, vector)
    const Metadata = { truncate: 'true' }
    expect(await world.client.embedding({ Embeddings: 'x', Metadata })).toMatchObject({
      embeddings: [0.5],
      promptTokens: 3,
    })
    expect(world.asked()).toMatchObject({ input: 'x', truncate: true })
    expect(await world.client.embedding({ Embeddings: 'x', Metadata })).toMatchObject({ embeddings: [1] })
    await world.client.embedding({ EmbeddingTokens: [1, 2], Metadata })
    expect(world.asked()).toMatchObject({ input: [[1, 2]] })
  })

  it('are read with the likelihoods of their tokens', async () => {
    await using world = await startWorld()
    const logprobs = {
      tokens: ['Gr', 'bytes:\\xc3', 'bytes:\\xbc', 'n', '.'],
      token_logprobs: [null, -1, -0.5, -2, -0.25],
      top_logprobs: [null, { 'bytes:\\xc3': -1, a: -0.5, b: -3 }, {}, { n: -2 }, { '!': -0.125, '.': -0.25 }],
    }
    const reply = { choices: [{ text: 'Grün.', logprobs }], usage: { prompt_tokens: 5, completion_tokens: 1 } }
    world.instance.replyWith(json(reply))
    const { promptLogprobs } = world.client.extensions
    const read = await promptLogprobs({ prompt: 'Grün', topLogprobs: 2 })
    const asked = { echo: true, logprobs: 2, max_tokens: 1, temperature: 0 }
    expect(world.asked()).toEqual({ model: 'm', prompt: 'Grün', ...asked })
    expect(read.tokens.map(({ token }) => [token?.text.toString('latin1'), token?.logProb])).toEqual([
      ['Gr', 0],
      ['\xc3', -1],
      ['\xbc', -0.5],
      ['n', -2],
    ])
    expect(read.tokens[1]?.top.map(({ text }) => text.toString('latin1'))).toEqual(['a', '\xc3'])
    expect(read.next.map(({ text, logProb }) => [text.toString(), logProb])).toEqual([
      ['!', -0.125],
      ['.', -0.25],
    ])
    expect(read).toMatchObject({ promptTokens: 5, end: { logProb: -0.25 } })
    expect((await promptLogprobs({ tokens: [1, 2, 3, 4] })).tokens).toHaveLength(4)
    expect(world.asked().prompt).toEqual([[1, 2, 3, 4]])
    // An instance that lists no tokens, only the tokens of the answer, or the tokens of another text.
    for (const other of [{ content: [] }, { tokens: ['.'], token_logprobs: [-1] }, logprobs]) {
      world.instance.replyWith(json({ choices: [{ text: 'x', logprobs: other }] }))
      await expect(promptLogprobs({ prompt: 'other' })).rejects.toMatchObject({ kind: 'not_implemented' })
    }
  })

  it('are ranked, counted, written back and scored', async () => {
    await using world = await startWorld()
    world.instance.enqueue(
      json({ results: [{ index: 1, document: { text: 'b' }, relevance_score: 0.5 }], usage: { total_tokens: 4 } }),
      json({ tokens: [1, 2] }),
      json({ input_tokens: 7 }),
      json({ content: 'x' }),
      json({ candidates: [{ log_prob: -2, num_tokens: 2, tokens: [{ token: 'a', log_prob: -1 }] }] }),
    )
    expect(await world.client.rerank({ query: 'q', documents: ['a', 'b'] })).toEqual({
      usage: { totalTokens: 4, promptTokens: 0 },
      results: [{ index: 1, text: 'b', relevanceScore: 0.5 }],
    })
    expect(await world.client.tokenizeString({ Prompt: 'x' })).toEqual({ length: 2, tokens: [1, 2] })
    expect(await world.client.tokenizeString({ Messages: [{ role: 'user', content: 'hi' }] })).toEqual({
      length: 7,
      tokens: [],
    })
    expect(await world.client.detokenize({ tokens: [1, 2] })).toEqual({ content: 'x' })
    expect(await world.client.score({ prompt: 'p', candidates: ['a'], includeTokenLogprobs: true })).toEqual({
      candidates: [{ logProb: -2, lengthNormalizedLogProb: 0, numTokens: 2, tokens: [{ token: 'a', logProb: -1 }] }],
    })
  })
})

describe('stores', () => {
  it('are set, read, searched and emptied', async () => {
    await using world = await startWorld()
    const Keys = [{ Floats: [1, 0.5] }]
    const Values = [{ Bytes: Buffer.from('é') }]
    const found = { keys: [[1, 0.5]], values: ['é'] }
    world.instance.enqueue({ body: '' }, json(found), json({ ...found, similarities: [0.5] }), { body: '' })
    expect(await world.client.storesSet({ Keys, Values })).toMatchObject({ success: true })
    expect(await world.client.storesGet({ Keys })).toEqual({ Keys, Values })
    expect(await world.client.storesFind({ Key: Keys[0], TopK: 1 })).toEqual({ Keys, Values, Similarities: [0.5] })
    expect(await world.client.storesDelete({ Keys })).toMatchObject({ success: true })
    expect(world.instance.requests.map(({ path }) => path)).toEqual([
      '/stores/set',
      '/stores/get',
      '/stores/find',
      '/stores/delete',
    ])
  })
})

describe('speech', () => {
  it('is written to the file of the host, completely', async () => {
    await using world = await startWorld()
    world.instance.enqueue(file('sound', 'audio/wav'))
    const dst = world.folder.join('out.wav')
    expect(await world.client.tts({ text: 'Hello', voice: '/voices/ada.wav', dst })).toMatchObject({ success: true })
    expect(await read(world, 'out.wav')).toBe('sound')
    expect(world.asked()).toEqual({ model: 'm', input: 'Hello', voice: '/voices/ada.wav' })
  })

  it('that fails leaves no file behind', async () => {
    await using world = await startWorld()
    const dst = world.folder.join('out.wav')
    world.instance.enqueue(json({ error: { message: 'no voice' } }, 400), {
      headers: { 'content-length': '100' },
      body: 'half',
      end: 'cut',
    })
    await expect(world.client.tts({ text: 'x', dst })).rejects.toMatchObject({ kind: 'invalid_request' })
    await expect(world.client.tts({ text: 'x', dst })).rejects.toMatchObject({ kind: 'unavailable' })
    expect(await readdir(world.folder.path)).toEqual([])
    const nowhere = world.folder.join('no', 'such', 'folder.wav')
    await expect(world.client.tts({ text: 'x', dst: nowhere })).rejects.toMatchObject({ kind: 'internal' })
  })

  // verifies service-proxy:limit:streamed-tts
  it('streams; one that fails but ends cleanly looks complete', async () => {
    await using world = await startWorld()
    world.instance.enqueue(file('no head of a file', 'audio/pcm'))
    const replies = await collect(world.client.ttsStream({ text: 'Hello' }))
    expect(Buffer.concat(replies.map(({ audio }) => audio)).toString()).toBe('no head of a file')
  })

  it('is sound of words too, but not from a file', async () => {
    await using world = await startWorld()
    world.instance.enqueue(file('rain', 'audio/wav'))
    const dst = world.folder.join('rain.wav')
    await world.client.soundGeneration({ text: 'rain', duration: 2, dst })
    expect(await read(world, 'rain.wav')).toBe('rain')
    expect(world.asked()).toEqual({ model_id: 'm', text: 'rain', duration_seconds: 2 })
    await expect(world.client.soundGeneration({ text: 'x', src: '/a.wav', dst })).rejects.toMatchObject({
      kind: 'not_implemented',
    })
  })
})

describe('sound', () => {
  // verifies service-proxy:limit:utterance-end
  it('is written down, its times in nanoseconds, without the end of an utterance', async () => {
    await using world = await startWorld()
    const segments = [
      { id: 0, start: 0.5, end: 1, text: 'hi', tokens: [1], words: [{ start: 0.5, end: 1, word: 'hi' }] },
    ]
    world.instance.enqueue(json({ text: 'hi', language: 'en', duration: 1.5, segments }))
    const times = { start: 500_000_000n, end: 1_000_000_000n, text: 'hi' }
    expect(await world.client.audioTranscription({ dst: await sound(world), language: 'en' })).toEqual({
      text: 'hi',
      language: 'en',
      duration: 1.5,
      eou: false,
      segments: [{ id: 0, ...times, tokens: [1], speaker: '', words: [times] }],
    })
    expect(world.instance.requests[0]?.text()).toContain('filename="in.wav"')
  })

  it('is written down as it is heard', async () => {
    await using world = await startWorld()
    const events = [
      { type: 'transcript.text.delta', delta: 'h' },
      { type: 'transcript.text.done', text: 'hi' },
    ]
    world.instance.enqueue(sse(...events))
    const replies = await collect(world.client.audioTranscriptionStream({ dst: await sound(world) }))
    expect(replies).toMatchObject([{ delta: 'h' }, { finalResult: { text: 'hi' } }])
  })

  it('that is not there is a wrong request', async () => {
    await using world = await startWorld()
    const dst = world.folder.join('none.wav')
    await expect(world.client.audioTranscription({ dst })).rejects.toMatchObject({
      kind: 'invalid_request',
      message: 'the input file cannot be read',
    })
    expect(world.instance.requests).toEqual([])
  })

  it('is listened to: voices, speakers, sounds', async () => {
    await using world = await startWorld()
    const path = await sound(world)
    world.instance.enqueue(
      json({ segments: [{ start: 0.5, end: 1 }] }),
      json({ segments: [{ start: 0.5, end: 1, speaker: 'S' }], num_speakers: 1 }),
      json({ detections: [{ label: 'bark', score: 0.5, index: 3 }] }),
    )
    expect(await world.client.vad({ audio: [0, 1] })).toEqual({ segments: [{ start: 0.5, end: 1 }] })
    expect(await world.client.diarize({ dst: path, includeText: true })).toEqual({
      segments: [{ id: 0, start: 0.5, end: 1, speaker: 'S', text: '' }],
      numSpeakers: 1,
      duration: 0,
      language: '',
    })
    expect(await world.client.soundDetection({ src: path, topK: 1 })).toEqual({
      detections: [{ label: 'bark', score: 0.5, index: 3 }],
    })
  })

  it('is changed, with its parts beside it', async () => {
    await using world = await startWorld()
    const stems = JSON.stringify([{ name: '../voice', url: '/generated-audio/v.wav' }])
    world.instance.enqueue(
      { headers: { 'content-type': 'audio/wav', 'x-audio-stems': stems }, body: 'changed' },
      file('stem', 'audio/wav'),
    )
    const path = await sound(world)
    const dst = world.folder.join('out.wav')
    const result = await world.client.audioTransform({ audioPath: path, referencePath: path, dst })
    expect(result).toMatchObject({ dst, referenceProvided: true, stems: [{ name: '../voice' }] })
    expect(await read(world, 'out.wav')).toBe('changed')
    expect(await readdir(world.folder.path)).toEqual(['in.wav', 'out-stem-0.wav', 'out.wav'])
  })
})

describe('pictures', () => {
  const made = json({ data: [{ b64_json: Buffer.from('made').toString('base64') }] })

  it('films and shapes are written to the file of the host', async () => {
    await using world = await startWorld()
    world.instance.replyWith(made)
    const dst = world.folder.join('out')
    const { client } = world
    await client.generateImage({ positivePrompt: 'p', width: 64, height: 32, dst, refImages: [PICTURE] })
    expect(world.asked()).toMatchObject({ prompt: 'p', size: '64x32', ref_images: [PICTURE] })
    expect(await read(world, 'out')).toBe('made')
    await client.upscaleImage({ src: PICTURE, scale: 2, dst })
    expect(world.asked()).toMatchObject({ image: PICTURE, scale: 2 })
    await client.generateVideo({ prompt: 'p', startImage: PICTURE, fps: 8, dst })
    expect(world.asked()).toMatchObject({ start_image: PICTURE, fps: 8 })
    await client.generate3D({ src: PICTURE, quality: 'auto', dst })
    expect(world.asked()).toMatchObject({ image: PICTURE, quality: 'auto' })
    expect(await readdir(world.folder.path)).toEqual(['out'])
  })

  it('of the host are read from their files', async () => {
    await using world = await startWorld()
    world.instance.replyWith(made)
    const path = world.folder.join('in.png')
    await writeFile(path, Buffer.from(PICTURE, 'base64'))
    await world.client.upscaleImage({ src: path, dst: world.folder.join('out') })
    expect(world.asked().image).toBe(PICTURE)
    const none = { src: world.folder.join('none.png'), dst: world.folder.join('out') }
    await expect(world.client.upscaleImage(none)).rejects.toMatchObject({ kind: 'invalid_request' })
  })

  it('are looked at', async () => {
    await using world = await startWorld()
    const thing = { x: 1, y: 2, width: 3, height: 4, class_name: 'cat', confidence: 0.5, mask: 'AA==' }
    world.instance.enqueue(json({ detections: [thing] }), json({ width: 1, height: 1, depth: [2], is_metric: true }))
    expect(await world.client.detect({ src: PICTURE, threshold: 0.5 })).toEqual({
      Detections: [{ x: 1, y: 2, width: 3, height: 4, className: 'cat', confidence: 0.5, mask: Buffer.of(0) }],
    })
    expect(world.asked()).toEqual({ model: 'm', image: `data:image/png;base64,${PICTURE}`, threshold: 0.5 })
    expect(await world.client.depth({ src: '/9j/AA==', includeDepth: true })).toMatchObject({
      depth: [2],
      isMetric: true,
    })
    expect(world.asked().image).toBe('data:image/jpeg;base64,/9j/AA==')
    await expect(world.client.depth({ src: PICTURE, exports: ['glb'] })).rejects.toMatchObject({
      kind: 'not_implemented',
    })
  })
})

describe('faces and voices', () => {
  it('are compared and described by their faces', async () => {
    await using world = await startWorld()
    const area = { x: 1, y: 2, w: 3, h: 4 }
    world.instance.enqueue(
      json({ verified: true, distance: 0.5, img1_area: area, img2_is_real: true }),
      json({ faces: [{ region: area, age: 30, gender: { x: 1 } }] }),
    )
    expect(await world.client.faceVerify({ img1: PICTURE, img2: PICTURE })).toMatchObject({
      verified: true,
      distance: 0.5,
      img1Area: area,
      img2IsReal: true,
    })
    expect(world.asked()).toEqual({ model: 'm', img1: PICTURE, img2: PICTURE })
    expect(await world.client.faceAnalyze({ img: PICTURE })).toMatchObject({
      faces: [{ region: area, age: 30, gender: { x: 1 } }],
    })
  })

  it('are compared and described by their voices, from files', async () => {
    await using world = await startWorld()
    const path = await sound(world)
    world.instance.enqueue(
      json({ verified: false, model: 'v' }),
      json({ segments: [{ start: 0, end: 1, age: 30 }] }),
      json({ embedding: [0.5], model: 'v' }),
    )
    const data = Buffer.from('RIFF').toString('base64')
    expect(await world.client.voiceVerify({ audio1: path, audio2: path })).toMatchObject({
      verified: false,
      model: 'v',
    })
    expect(world.asked()).toEqual({ model: 'm', audio1: data, audio2: data })
    expect(await world.client.voiceAnalyze({ audio: path, actions: ['age'] })).toMatchObject({
      segments: [{ age: 30 }],
    })
    expect(await world.client.voiceEmbed({ audio: path })).toEqual({ embedding: [0.5], model: 'v' })
  })
})
