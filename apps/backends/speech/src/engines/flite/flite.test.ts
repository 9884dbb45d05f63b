import { writeFile } from 'node:fs/promises'
import { SvcError } from '@svc/errors'
import { patienceMs, type TempDir, tempDir } from '@svc/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { SpeechModel, Synthesizer } from '../../speech-model.ts'
import type { LoadSettings } from '../engine.ts'
import { fliteEngine } from './flite.ts'

const live = (): AbortSignal => new AbortController().signal
let folder: TempDir
beforeAll(async () => {
  folder = await tempDir()
})
afterAll(() => folder.close())

async function load(text: string, options: Readonly<Record<string, string>> = {}, extra: Partial<LoadSettings> = {}) {
  const path = folder.join('voice.json')
  await writeFile(path, text)
  const settings = { path, threads: 1, parallel: 1, maxWaiting: 8, memoryLimit: 2 ** 30, ...extra }
  return fliteEngine.load({ ...settings, options: new Map(Object.entries(options)) }, { signal: live() })
}

let model: SpeechModel
let synthesizer: Synthesizer
beforeAll(async () => {
  model = await load('{"engine": "flite"}')
  if (model.synthesizer === undefined) throw new Error('it speaks')
  synthesizer = model.synthesizer
})
afterAll(() => model.close())

const find = (name: string) => {
  const voice = synthesizer.voices.find((candidate) => candidate.name === name)
  if (voice === undefined) throw new Error(`no voice ${name}`)
  return voice
}

async function say(text: string, { voice = 'slt', speed = 1, signal = live() } = {}) {
  const pieces: Int16Array[] = []
  for await (const piece of synthesizer.speak({ text, voice: find(voice), speed }, { signal })) pieces.push(piece)
  const count = pieces.reduce((sum, { length }) => sum + length, 0)
  return { pieces, seconds: count / synthesizer.sampleRate(find(voice)) }
}

describe('the voices', () => {
  it.each(['slt', 'kal16', 'rms', 'awb', 'kal'])('%s speaks a sentence in about three seconds', async (voice) => {
    const { seconds, pieces } = await say('The quick brown fox jumps over the lazy dog.', { voice })
    expect(seconds).toBeGreaterThan(2)
    expect(seconds).toBeLessThan(4)
    expect(Math.max(...(pieces[0] ?? []))).toBeGreaterThan(3000)
  })

  it('speak faster and slower', async () => {
    const [fast, usual, slow] = await Promise.all([2, 1, 0.5].map((speed) => say('The quick brown fox.', { speed })))
    expect((usual?.seconds ?? 0) / (fast?.seconds ?? 0)).toBeCloseTo(2, 0)
    expect((slow?.seconds ?? 0) / (usual?.seconds ?? 0)).toBeCloseTo(2, 0)
  })
})

describe('texts', () => {
  it('come clause by clause', async () => {
    const sentence = 'This is a sentence of more than forty letters.'
    expect((await say(`One. ${sentence} ${sentence}`)).pieces).toHaveLength(3)
  })

  it('of short lines are spoken many at a time, with a pause between them', async () => {
    const { pieces, seconds } = await say('One\n'.repeat(200))
    expect(pieces).toHaveLength(1 + Math.ceil(199 / 9))
    expect(seconds).toBeGreaterThan(200 * 0.4)
  })

  it.each([
    ['words', 'of '.repeat(10_001)],
    ['lines', 'a\n'.repeat(25_000)],
    ['digits', '7'.repeat(10_001)],
    ['signs', '% '.repeat(10_001)],
  ])('of more than 10,000 %s are refused', async (_, text) => {
    await expect(say(text)).rejects.toMatchObject({ kind: 'invalid_request', message: /at most 10000 words/ })
  })

  it.each(['мир', '...', '😀 🎉', '你好。'])('without a letter that it speaks are refused: %s', async (text) => {
    await expect(say(text)).rejects.toMatchObject({ kind: 'invalid_request', message: /no Latin letters/ })
  })

  it.each([
    ['an option', '-voice rms --help'],
    ['markup', '<speak>Hello &amp; bye</speak>'],
    ['accents', 'Où est le café?'],
    ['a word of 500 letters', 'x'.repeat(500)],
    ['a number of 200 digits', '7'.repeat(200)],
    ['marks without end', `${'(%$#'.repeat(90)} a`],
  ])('of %s are spoken', async (_, text) => {
    expect((await say(text)).seconds).toBeGreaterThan(0.3)
  })

  it('of more than 50,000 characters are refused', async () => {
    await expect(say('a '.repeat(25_001))).rejects.toMatchObject({ message: /at most 50000 characters/ })
  })
})

describe('calls', () => {
  const long = 'This sentence is spoken again and again, until someone ends it. '.repeat(500)

  it('end soon after an abort, and the next one runs', async () => {
    const caller = new AbortController()
    const speech = synthesizer.speak({ text: long, voice: find('slt'), speed: 0.25 }, { signal: caller.signal })
    const reader = speech[Symbol.asyncIterator]()
    await reader.next()
    const next = reader.next()
    const aborted = performance.now()
    caller.abort(new SvcError('cancelled', 'left'))
    await expect(next).rejects.toMatchObject({ kind: 'cancelled' })
    expect(performance.now() - aborted).toBeLessThan(patienceMs(2000))
    expect(model.busy).toBe(0)
    expect((await say('Next')).seconds).toBeGreaterThan(0.1)
  })

  it('give their place back when the reader leaves', async () => {
    for await (const _ of synthesizer.speak({ text: long, voice: find('slt'), speed: 1 }, { signal: live() })) break
    expect(model.busy).toBe(0)
  })

  it('wait for a place, up to the length of the queue', async () => {
    const small = await load('{"engine": "flite"}', {}, { maxWaiting: 1 })
    const request = { text: 'Hello', voice: find('slt'), speed: 1 }
    const speak = () => small.synthesizer?.speak(request, { signal: live() })[Symbol.asyncIterator]().next()
    const [first, second, third] = [speak(), speak(), speak()]
    await expect(third).rejects.toMatchObject({ code: 'queue_full' })
    await expect(first).resolves.toMatchObject({ done: false })
    // the reader of the first one does not go on
    const unloaded = expect(second).rejects.toMatchObject({ code: 'model_unloading' })
    await small.close()
    await unloaded
  })
})

describe('files', () => {
  it('name the default voice and aliases', async () => {
    const other = await load('{"engine": "flite", "voice": "awb"}', { voice_aliases: 'nova=rms, onyx=kal16' })
    expect(other.synthesizer?.voices.map(({ name }) => name)).toEqual(['awb', 'slt', 'kal16', 'rms', 'kal'])
    expect([...(other.synthesizer?.aliases ?? [])].map(([alias, { name }]) => `${alias}=${name}`)).toEqual([
      'nova=rms',
      'onyx=kal16',
    ])
    await other.close()
  })

  it.each(['', '[]', '{"engine": "other"}', '{"engine": "flite", "voice": "bob"}', `"${' '.repeat(5000)}"`])(
    'without a voice are refused (%#)',
    async (text) => {
      await expect(load(text)).rejects.toMatchObject({ kind: 'unprocessable', message: /^voice\.json: / })
    },
  )

  it('with an alias of an unknown voice are refused', async () => {
    await expect(load('{"engine": "flite"}', { voice_aliases: 'nova=bob' })).rejects.toMatchObject({
      message: 'option voice_aliases must be such as nova=slt, not "nova=bob"',
    })
  })

  it('are recognised by their content', async () => {
    const path = folder.join('some.json')
    await writeFile(path, '{"engine": "flite"}')
    expect(await fliteEngine.recognizes(path)).toBe(true)
    await writeFile(path, '{"engine": "whisper"}')
    expect(await fliteEngine.recognizes(path)).toBe(false)
    expect(await fliteEngine.recognizes(folder.join('none'))).toBe(false)
    expect(await fliteEngine.recognizes(folder.path)).toBe(false)
  })
})
