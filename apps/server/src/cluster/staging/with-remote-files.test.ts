import { mkdir, open, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { BackendClient } from '@svc/backend-client'
import { createHttpUpstream } from '@svc/http-client'
import { eventually, tempDir } from '@svc/test-kit'
import { afterAll, describe, expect, it } from 'vitest'
import { systemClock } from '../../clock.ts'
import { openFileServer } from '../../worker/files/file-server.ts'
import { type RemoteFilesOptions, withRemoteFiles } from './with-remote-files.ts'

const logger = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined }
const logs = { models: () => [], read: () => undefined, follow: () => undefined }

describe('calls with files to a worker', async () => {
  const dir = await tempDir('svc-t-')
  const upstream = createHttpUpstream()
  const folders = { models: join(dir.path, 'm'), data: join(dir.path, 'd'), staging: join(dir.path, 's') }
  const server = await openFileServer({
    host: '127.0.0.1',
    port: 0,
    token: 't',
    folders,
    logs,
    isReady: () => true,
    clock: systemClock,
    logger,
  })
  afterAll(async () => {
    await upstream.close()
    await server.close()
    await dir.close()
  })
  const local = join(dir.path, 'local')
  await mkdir(local)
  const sound = join(local, 'in.wav')
  await writeFile(sound, 'sound')

  /** A client of a backend at the worker, with the given calls only. */
  function connect(calls: object, options: Partial<RemoteFilesOptions> = {}) {
    const node = { httpAddress: `127.0.0.1:${server.port}` }
    const client = {
      extensions: {},
      [Symbol.asyncDispose]: async () => undefined,
      ...calls,
    } as unknown as BackendClient
    return withRemoteFiles(client, { node, token: 't', client: upstream, clock: systemClock, ...options })
  }

  const isEmpty = () => eventually(async () => expect(await listFiles(folders.staging)).toEqual([]))

  it('send what the backend reads, and remove it after', async () => {
    const seen: string[] = []
    await using client = connect({
      audioTranscription: async ({ dst }: { dst: string }) => {
        expect(dst.startsWith(folders.staging) && dst.endsWith('in.wav')).toBe(true)
        seen.push(await readFile(dst, 'utf8'))
        return { text: 'heard' }
      },
      async *audioTranscriptionStream({ dst }: { dst: string }) {
        yield { delta: await readFile(dst, 'utf8') }
        yield { delta: 'more' }
      },
      detect: async ({ src }: { src: string }) => ({ src }),
      voiceVerify: async ({ audio1, audio2 }: { audio1: string; audio2: string }) => {
        throw new Error(`${await readFile(audio1, 'utf8')} ${await readFile(audio2, 'utf8')}`)
      },
    })
    expect(await client.audioTranscription({ dst: sound, language: 'en' })).toEqual({ text: 'heard' })
    expect(seen).toEqual(['sound'])
    for await (const { delta } of client.audioTranscriptionStream({ dst: sound })) {
      expect(delta).toBe('sound')
      break
    }
    await expect(client.voiceVerify({ audio1: sound, audio2: sound })).rejects.toThrow('sound sound')
    const base64 = `/9j/${'A'.repeat(100)}`
    expect(await client.detect({ src: base64 })).toEqual({ src: base64 })
    await isEmpty()
  })

  it('fetch what the backend writes, unless it fails', async () => {
    const out = join(local, 'out.png')
    await using client = connect({
      generateImage: async ({ dst, src, refImages }: { dst: string; src: string; refImages: string[] }) => {
        expect(dst.endsWith('.png')).toBe(true)
        const inputs = await Promise.all([src, ...refImages].map((path) => readFile(path, 'utf8')))
        await writeFile(dst, inputs.join('+'))
        return { success: true, message: '' }
      },
      tts: async ({ dst }: { dst: string }) => {
        await writeFile(dst, 'half')
        return { success: false, message: 'no voice' }
      },
      soundGeneration: async () => ({ success: true, message: '' }),
      audioTransform: async ({ dst }: { dst: string }) => ({ dst, stems: [] }),
      extensions: {
        saveSlot: async ({ path }: { path: string }) => {
          await writeFile(path, 'state')
          return { tokens: 3n }
        },
        restoreSlot: async ({ path }: { path: string }) => ({ tokens: BigInt((await readFile(path)).length) }),
      },
    })
    expect(await client.generateImage({ dst: out, src: sound, refImages: [sound] })).toMatchObject({ success: true })
    expect(await readFile(out, 'utf8')).toBe('sound+sound')
    const failed = join(local, 'failed.wav')
    expect(await client.tts({ dst: failed, text: 'x' })).toMatchObject({ success: false })
    // A backend that wrote nothing: the caller finds nothing.
    await client.soundGeneration({ dst: failed, text: 'x' })
    expect(await client.audioTransform({ dst: failed, audioPath: sound })).toMatchObject({ dst: failed })
    expect(await readdir(local)).toEqual(['in.wav', 'out.png'])
    const slot = join(local, 'slot')
    await client.extensions.saveSlot({ path: slot })
    expect(await readFile(slot, 'utf8')).toBe('state')
    expect(await client.extensions.restoreSlot({ path: slot })).toEqual({ tokens: 5n })
    await isEmpty()
  })

  it('name weights as the worker has them', async () => {
    const models: string[] = []
    const calls = {
      loadModel: async () => ({ success: true, message: '' }),
      tts: async ({ model }: { model: string }) => {
        models.push(model)
        return { success: true, message: '' }
      },
    }
    const place = join(folders.models, 'v#0', 'voices', 'v.onnx')
    await mkdir(join(folders.models, 'v#0', 'voices'), { recursive: true })
    await writeFile(place, 'weights')
    await using known = connect(calls, { models: { folder: '/front/models', processKey: 'v#0' } })
    for (const model of ['/front/models/voices/v.onnx', '/front/models/other', 'name']) await known.tts({ model })
    await using loaded = connect(calls)
    await loaded.loadModel({ ModelFile: '/worker/v#0/v.onnx' })
    for (const model of ['/front/models/v.onnx', '/front/models/other']) await loaded.tts({ model })
    await using shared = connect(calls, { isShared: true })
    await shared.tts({ model: '/front/models/v.onnx' })
    expect(models).toEqual([place, 'other', 'name', '/worker/v#0/v.onnx', 'other', '/front/models/v.onnx'])
  })

  it('send the file that a request names as a voice, with those named after it, once', async () => {
    const front = { models: join(dir.path, 'front'), data: join(dir.path, 'front-data') }
    await mkdir(join(front.models, 'voices'), { recursive: true })
    await mkdir(front.data)
    await writeFile(join(front.models, 'voices', 'anna.wav'), 'anna')
    await writeFile(join(front.models, 'voices', 'bob.wav'), 'bob')
    await writeFile(join(front.models, 'voices', 'bob.wav.txt'), 'words of bob')
    await writeFile(join(front.models, 'voices', 'key.yaml'), 'key: secret')
    await writeFile(join(front.models, 'voices', '.key'), 'secret')
    const weights = await open(join(front.models, 'voices', 'large.bin'), 'w')
    await weights.truncate(1024 ** 3 + 1)
    await weights.close()
    await writeFile(join(front.models, 'other.yaml'), 'key: secret')
    const heard: unknown[] = []
    const remote = join(folders.models, 's#0')
    const speak = async ({ voice }: { voice: string }) => {
      heard.push([voice, await readFile(voice.startsWith('/') ? voice : join(remote, voice), 'utf8').catch(() => '')])
      return { success: true, message: '' }
    }
    const calls = {
      tts: speak,
      async *ttsStream(request: { voice: string }) {
        await speak(request)
        yield {}
      },
    }
    await using client = connect(calls, { models: { folder: front.models, processKey: 's#0' }, folders: front })
    const say = (voice: string) => client.tts({ text: 'x', voice })
    await say('voices/anna.wav')
    await say(join(front.models, 'voices', 'anna.wav'))
    await writeFile(join(front.models, 'voices', 'anna.wav'), 'anna, later')
    for await (const _ of client.ttsStream({ text: 'x', voice: 'voices/anna.wav' }));
    await rm(remote, { recursive: true })
    await say('voices/anna.wav')
    await say('voices/bob.wav')
    for (const name of ['alloy', 'voices/large.bin', 'voices/.key', 'other.yaml', sound, 'voices', '../local/in.wav'])
      await say(name)
    const place = join(remote, 'voices', 'anna.wav')
    expect(heard).toEqual([
      ['voices/anna.wav', 'anna'],
      [place, 'anna'],
      ['voices/anna.wav', 'anna, later'],
      ['voices/anna.wav', 'anna, later'],
      ['voices/bob.wav', 'bob'],
      ['alloy', ''],
      ['voices/large.bin', ''],
      ['voices/.key', ''],
      ['other.yaml', ''],
      [sound, 'sound'],
      ['voices', ''],
      ['../local/in.wav', ''],
    ])
    expect(await readdir(remote)).toEqual(['voices'])
    const sent = await readdir(join(remote, 'voices'))
    expect(sent.filter((name) => !name.endsWith('.sha256')).sort()).toEqual(['anna.wav', 'bob.wav', 'bob.wav.txt'])
  })

  it('fail with the cause, and end with their signal', async () => {
    await using refused = connect({ tts: async () => ({ success: true }) }, { token: 'wrong' })
    const out = join(local, 'none')
    await expect(refused.tts({ dst: out })).rejects.toMatchObject({ code: 'staging_failed', kind: 'unavailable' })
    const left = AbortSignal.abort(new Error('left'))
    await using client = connect({ audioTranscription: async () => ({ text: '' }) })
    await expect(client.audioTranscription({ dst: sound }, { signal: left })).rejects.toThrow('left')
  })
})

async function listFiles(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name)
}
