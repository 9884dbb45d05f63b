import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { eventually } from '@svc/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { stringify } from 'yaml'
import { verifies } from '../spec/verifies.ts'
import { makeSilence, makeTone, openRealtime, type RealtimeSocket } from '../support/realtime-socket.ts'
import { addTalk } from '../support/realtime-world.ts'
import { type ServerPair, startServerPair } from '../support/server-pair.ts'
import { expectNoTemporaryFiles, makeWav } from '../support/sound.ts'

const TEXT = { output_modalities: ['text'] }
const BY_HAND = { audio: { input: { turn_detection: null } } }
const MAIL = 'ada@host.example'

let pair: ServerPair

beforeAll(async () => {
  pair = await startServerPair({ near: { flags: ['--enable-tracing'] } })
  await addTalk(pair.near)
})
afterAll(() => pair[Symbol.asyncDispose]())

/** Types a text and gives the events of the answer. */
async function type(client: RealtimeSocket, text: string) {
  const content = [{ type: 'input_text', text }]
  client.send({ type: 'conversation.item.create', item: { type: 'message', role: 'user', content } })
  client.send({ type: 'response.create' })
  return client.until('response.done')
}

/** Speaks a turn that is committed by hand. */
function speak(client: RealtimeSocket, ms = 400): void {
  client.say(makeTone(ms))
  client.send({ type: 'input_audio_buffer.commit' })
}

/** Opens a session that is refused, and gives what the client is told. */
async function readRefusal(model: string): Promise<string> {
  const ws = new WebSocket(`${pair.near.url.replace('http', 'ws')}/v1/realtime?model=${model}`)
  const told: string[] = []
  ws.on('message', (data) => told.push(String(data)))
  await new Promise<void>((resolve, reject) => {
    ws.once('error', reject)
    ws.once('close', () => resolve())
  })
  return told.join()
}

/** Calls of a model on the near server, without loads. */
const calls = (model: string) =>
  pair.near.records(model).filter(({ event, rpc }) => event === 'start' && rpc !== 'LoadModel')

describe('a pipeline among the models', () => {
  it('is listed as one, with its models', async () => {
    const { data } = (await pair.near.call('/v1/models')).json() as { data: { id: string }[] }
    expect(data.map(({ id }) => id)).toContain('talk')
    const pipelines = (await pair.near.call('/api/pipeline-models')).json()
    const names = { vad: 'ear', transcription: 'ear', llm: 'mind', tts: 'mouth' }
    expect(pipelines).toContainEqual(expect.objectContaining({ name: 'talk', ...names }))
    const capabilities = (await pair.near.call('/api/models/capabilities')).json() as { data: { id: string }[] }
    expect(capabilities.data).toContainEqual(
      expect.objectContaining({ id: 'talk', capabilities: ['FLAG_REALTIME_AUDIO'] }),
    )
  })

  verifies(
    'realtime:pipeline:no-requests',
    'answers no chats: the refusal names the route of conversations',
    async () => {
      const reply = await pair.near.chat('talk')
      expect(reply.status).toBe(400)
      expect(reply.json()).toMatchObject({
        error: { message: expect.stringContaining('/v1/realtime') },
      })
    },
  )

  verifies(
    ['load:pipeline:sub-models', 'shutdown:pipeline:sub-models', 'realtime:pipeline:nested'],
    'is loaded and stopped with all its models; one in another is refused by name',
    async () => {
      const { near } = pair
      expect((await near.post('/backend/load', { model: 'talk' })).json()).toMatchObject({
        loaded: ['ear', 'mind', 'mouth'],
      })
      expect((await near.post('/backend/shutdown', { model: 'talk' })).status).toBe(200)
      await addTalk(near, { name: 'nested', pipeline: { llm: 'talk' } })
      const refused = await near.post('/backend/load', { model: 'nested' })
      expect([refused.status, refused.json()]).toMatchObject([
        400,
        { loaded: ['nested-ear', 'nested-mouth'], error: { message: expect.stringContaining('is a pipeline itself') } },
      ])
    },
  )
})

describe('a turn', () => {
  verifies(
    ['model-file:pipeline:sub-models', 'realtime:pipeline:records'],
    'leaves a usage record and a trace for each stage, and none for the search for speech',
    async () => {
      await using client = await openRealtime(pair.near.url, { session: {} })
      client.say(makeTone(600))
      client.say(makeSilence(900))
      await client.until('response.done')
      const traces = await eventually(async () => {
        const all = (await pair.near.call('/api/traces?limit=50')).json() as {
          correlation_id: string
          model?: string
          served_model?: string
          request: { path: string }
          phases: Record<string, number>
        }[]
        const own = all.filter(({ request }) => request.path === '/v1/realtime')
        expect(own.map((trace) => trace.served_model)).toEqual(expect.arrayContaining(['ear', 'mind', 'mouth', 'talk']))
        return own
      })
      expect(new Set(traces.map(({ model }) => model))).toEqual(new Set(['talk']))
      expect(traces.every(({ correlation_id: id }) => /-\d+$/.test(id))).toBe(true)
      const turn = traces.find((trace) => trace.served_model === 'talk')
      expect(turn?.phases).toMatchObject({ transcription: expect.any(Number), speech: expect.any(Number) })
      const usage = (await pair.near.call('/api/usage/all?period=day')).json() as { by_model: { model: string }[] }
      expect(usage.by_model.map(({ model }) => model)).toEqual(expect.arrayContaining(['ear', 'mind', 'mouth']))
      expect(calls('ear').filter(({ rpc }) => rpc === 'VAD').length).toBeGreaterThan(1)
      const backends = (await pair.near.call('/api/backend-traces?limit=50')).json() as { type: string }[]
      expect(backends.map(({ type: kind }) => kind)).toEqual(expect.arrayContaining(['transcription', 'llm', 'tts']))
      expect(backends.map(({ type: kind }) => kind)).not.toContain('vad')
      const metrics = (await pair.near.call('/metrics')).body.toString()
      for (const stage of ['speech_detection', 'transcription', 'language_model', 'speech']) {
        expect(metrics).toMatch(new RegExp(`svc_realtime_stage_seconds_count\\{stage="${stage}"\\} [1-9]`))
      }
      await expectNoTemporaryFiles(pair.near)
    },
  )

  verifies(
    'realtime:pipeline:filter',
    'is filtered where the file of the pipeline asks for it, and what is spoken has the values again',
    async () => {
      const { near } = pair
      const detector = { name: 'mails', backend: 'pattern', pii_detection: { builtins: ['email'] } }
      await near.writeModelFile('mails.yaml', stringify(detector))
      const ear = { text: `Write to ${MAIL}` }
      const mind = [{ rpc: 'Predict*', do: { text: 'Written to [REDACTED:EMAIL_1].' } }]
      await addTalk(near, { name: 'open', ear, mind })
      await addTalk(near, { name: 'careful', ear, mind })
      const stages = { vad: 'careful-ear', transcription: 'careful-ear', llm: 'careful-mind', tts: 'careful-mouth' }
      const pii = { scan_realtime: true, detectors: ['mails'], reversible_redactions: true }
      await near.writeModelFile('careful.yaml', stringify({ name: 'careful', pipeline: stages, pii }))
      for (const [model, isMasked] of [
        ['open', false],
        ['careful', true],
      ] as const) {
        await using client = await openRealtime(near.url, { model, session: BY_HAND })
        speak(client)
        await client.next('conversation.item.input_audio_transcription.completed')
        client.send({ type: 'response.create' })
        await client.until('response.done')
        const asked = JSON.stringify(calls(`${model}-mind`))
        expect(asked.includes(MAIL)).toBe(!isMasked)
        expect(asked.includes('[REDACTED:')).toBe(isMasked)
      }
      expect((await near.call('/api/middleware/status')).json()).toMatchObject({
        pii: { models: expect.arrayContaining([expect.objectContaining({ name: 'careful', enabled: true })]) },
      })
    },
  )
})

describe('other stages', () => {
  verifies(
    'realtime:pipeline:any-to-any',
    'one model hears and speaks, directly and as the model of a pipeline',
    async () => {
      const { near } = pair
      const whole = { rules: [{ rpc: 'AudioToAudioStream', do: { text: 'Good day.' } }] }
      await near.model('whole', whole, { known_usecases: ['realtime_audio'] })
      await addTalk(near, { name: 'around', pipeline: { llm: 'whole', tts: null, transcription: null } })
      for (const model of ['whole', 'around']) {
        await using client = await openRealtime(near.url, { model, session: BY_HAND })
        speak(client)
        client.send({ type: 'response.create' })
        const events = await client.until('response.done')
        const said = events.flatMap((event) =>
          event.type === 'response.output_audio_transcript.delta' ? event.delta : [],
        )
        expect(said.join('')).toBe('Good day.')
        expect(events.some((event) => event.type === 'response.output_audio.delta')).toBe(true)
      }
    },
  )

  verifies(
    'realtime:pipeline:classifier',
    'sounds are named, and answers come from a list without the language model',
    async () => {
      const { near } = pair
      await near.model('sounds', {}, { known_usecases: ['sound_classification'] })
      const score = (logProb: number) => ({ logProb, numTokens: 1, tokens: [] })
      const scoring = { rules: [{ rpc: 'Score', do: { answer: { candidates: [score(-0.1), score(-6)] } } }] }
      await near.model('scorer', scoring, { known_usecases: ['score'] })
      const options = [
        { id: 'up', description: 'asks to go up', reply: 'Going up.', tool: { name: 'move', arguments: { to: 'up' } } },
        { id: 'hello', description: 'greets', reply: 'Hello.' },
      ]
      const classifier = { enabled: true, model: 'scorer', threshold: 0.8, options }
      await addTalk(near, { name: 'listed', pipeline: { sound_detection: 'sounds', classifier } })
      await using client = await openRealtime(near.url, { model: 'listed', session: { ...TEXT, ...BY_HAND } })
      speak(client)
      const { detections } = await client.next('conversation.item.sound_detection')
      expect(detections).toContainEqual({ label: 'Speech', score: 0.9 })
      const events = await type(client, 'Up, please')
      expect(events).toContainEqual(expect.objectContaining({ type: 'localai.classifier.result', chosen: 'up' }))
      expect(events).toContainEqual(expect.objectContaining({ type: 'response.output_text.done', text: 'Going up.' }))
      expect(events).toContainEqual(
        expect.objectContaining({
          type: 'response.function_call_arguments.done',
          name: 'move',
          arguments: '{"to":"up"}',
        }),
      )
      expect(calls('listed-mind')).toEqual([])
      await addTalk(near, { name: 'unscored', pipeline: { classifier: { ...classifier, model: null } } })
      expect(await readRefusal('unscored')).toContain(
        'pipeline.classifier.model: model \\"unscored-mind\\" scores nothing',
      )
    },
  )

  verifies(
    'realtime:pipeline:speakers',
    'strangers are turned away, and the pipeline names what its blocks lack',
    async () => {
      const { near } = pair
      await mkdir(join(near.modelsPath, 'people'), { recursive: true })
      await writeFile(join(near.modelsPath, 'people', 'ada.wav'), makeWav(1))
      await near.model('people', {
        rules: [{ rpc: 'VoiceVerify', do: { answer: { verified: false, distance: 0.9 } } }],
      })
      const references = [{ name: 'Ada', audio: 'people/ada.wav' }]
      await addTalk(near, { name: 'guarded', pipeline: { voice_recognition: { model: 'people', references } } })
      await using client = await openRealtime(near.url, { model: 'guarded', session: BY_HAND })
      speak(client)
      expect(await client.next('error')).toMatchObject({ error: { code: 'speaker_not_authorized' } })
      await addTalk(near, {
        name: 'registered',
        pipeline: { voice_recognition: { model: 'people', mode: 'identify' } },
      })
      expect(await readRefusal('registered')).toContain('pipeline.voice_recognition.mode: identify needs a register')
    },
  )
})

describe('the pipeline of another instance', () => {
  verifies('proxy:realtime:pipeline', 'writes down what is said while it is said', async () => {
    const { near, far } = pair
    await addTalk(far, { name: 'ears', ear: { text: 'from far away' }, pipeline: { llm: null, tts: null } })
    await pair.forward('far-ears', { known_usecases: ['transcript'] }, { realtime_pipeline: 'ears' })
    await addTalk(near, { name: 'remote', pipeline: { transcription: 'far-ears' } })
    await using client = await openRealtime(near.url, { model: 'remote', session: TEXT })
    client.say(makeTone(800))
    client.say(makeSilence(1500))
    const { transcript } = await client.next('conversation.item.input_audio_transcription.completed')
    expect(transcript).toBe('from far away')
    const rpcs = far.records('ears-ear').map(({ rpc }) => rpc)
    expect(rpcs).toContain('VAD')
  })
})
