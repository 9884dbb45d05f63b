import { join } from 'node:path'
import type { TokenClassifyEntity } from '@svc/backend-client/proto'
import { TINY_NER_LABELS, type TinyTokenizerKind, writeTinyNer } from '@svc/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readEntities, startBackend, type TestBackend } from './backend.ts'

const KINDS: readonly TinyTokenizerKind[] = ['word-piece', 'bytes', 'unigram']

let backend: TestBackend
beforeAll(async () => {
  backend = await startBackend()
  for (const tokenizer of KINDS) await writeTinyNer(join(backend.models, tokenizer), { tokenizer })
  await writeTinyNer(join(backend.models, 'short'), { maxTokens: 18 })
})
afterAll(() => backend[Symbol.asyncDispose]())

async function load(folder: string, options: readonly string[] = []): Promise<void> {
  await backend.load({ Model: folder, ModelFile: join(backend.models, folder), Options: [...options] })
}

async function classify(text: string, threshold = 0): Promise<readonly TokenClassifyEntity[]> {
  return (await backend.client.tokenClassify({ text, threshold })).entities
}

describe.each(KINDS)('a classifier over %s', (kind) => {
  beforeAll(() => load(kind))

  it.each([
    ['nothing to find', 'hello world', []],
    ['an empty text', '', []],
    ['blanks alone', ' \r\n\t ', []],
    ['ASCII', 'my name is John Smith', ['PER:John Smith']],
    ['two of a kind side by side', 'John Anna Smith', ['PER:John', 'PER:Anna Smith']],
    ['two-byte characters', 'José Müller lives in Zürich', ['PER:José Müller', 'LOC:Zürich']],
    ['three-byte characters, and no blanks', 'in 東京 and 李明', ['LOC:東京', 'PER:李明']],
    ['four-byte characters before and between', '𝔘𝔫𝔦 John 🎉 Anna', ['PER:John', 'PER:Anna']],
    ['a joined emoji before it', '👩‍👩‍👧‍👦 John 🏳️‍🌈 Paris', ['PER:John', 'LOC:Paris']],
    ['line ends', 'John Smith\r\nParis\r\n\r\nAnna\n', ['PER:John Smith', 'LOC:Paris', 'PER:Anna']],
    ['punctuation around it', '(John), "Paris".', ['PER:John', 'LOC:Paris']],
    ['a mail address', 'mail me at alice@example.com now', ['EMAIL:alice@example.com']],
    ['text of special tokens before it', '[SEP] John [CLS] [MASK] Paris', ['PER:John', 'LOC:Paris']],
  ])('finds with exact bytes: %s', async (_, text, expected) => {
    expect(readEntities(text, await classify(text))).toEqual(expected)
  })

  it('says the text of each entity, and how sure it is', async () => {
    const text = 'é John Smith'
    // softmax of (6, 2, five times 0) and of (6.5, 6, 2, four times 0)
    const first = Math.exp(6) / (Math.exp(6) + Math.exp(2) + 5)
    const last = Math.exp(6.5) / (Math.exp(6.5) + Math.exp(6) + Math.exp(2) + 4)
    expect(await classify(text)).toEqual([
      { entityGroup: 'PER', start: 3, end: 13, score: expect.closeTo((first + last) / 2, 5), text: 'John Smith' },
    ])
  })

  it('leaves out entities below the threshold', async () => {
    const text = 'mail alice@example.com to John'
    const [mail, person] = await classify(text)
    expect(mail?.score).toBeLessThan(person?.score ?? 0)
    const threshold = ((mail?.score ?? 0) + (person?.score ?? 0)) / 2
    expect(readEntities(text, await classify(text, threshold))).toEqual(['PER:John'])
    expect(await classify(text, 1)).toEqual([])
  })
})

describe('combining marks', () => {
  // The base letter and its accent are two characters of the text and one of the vocabulary.
  const text = 'Jose\u0301 Mu\u0308ller, Nun\u0303ez'

  it.each(['word-piece', 'unigram'])('belong to their letters with %s', async (kind) => {
    await load(kind)
    expect(readEntities(text, await classify(text))).toEqual(['PER:Jose\u0301 Mu\u0308ller', 'PER:Nun\u0303ez'])
  })

  it('are never left behind at the end of an entity', async () => {
    await load('bytes')
    const text = 'John\u0301 Paris\u0301\u0302.'
    expect(readEntities(text, await classify(text))).toEqual(['PER:John\u0301', 'LOC:Paris\u0301\u0302'])
  })
})

describe('words that are cut into tokens', () => {
  it('belong to an entity as a whole, or with whole_words:false as far as they were labelled', async () => {
    const text = 'qx7@example.com'
    await load('word-piece')
    expect(readEntities(text, await classify(text))).toEqual(['EMAIL:qx7@example.com'])
    await load('word-piece', ['whole_words:false'])
    expect(readEntities(text, await classify(text))).toEqual(['EMAIL:7@example.com'])
  })
})

describe('texts longer than the model takes', () => {
  const sentence = 'hello world, my name is José Müller and alice@example.com lives in New York. '
  const found = ['PER:José Müller', 'EMAIL:alice@example.com', 'LOC:New York']

  it('are read to their end: every entity is found wherever a window ends', async () => {
    await load('short', ['overlap:6'])
    for (let shift = 0; shift < 18; shift++) {
      const text = 'hello '.repeat(shift) + sentence.repeat(20)
      const expected = Array.from({ length: 20 }).flatMap(() => found)
      expect(readEntities(text, await classify(text)), `after ${shift} words`).toEqual(expected)
    }
  })

  it('give the results of a model with a longer window', async () => {
    const text = `${sentence.repeat(200)}👩‍👩‍👧 John`
    await load('word-piece')
    const wide = await classify(text)
    await load('short', ['overlap:6'])
    expect(await classify(text)).toEqual(wide)
    expect(wide).toHaveLength(601)
  })
})

describe('a text beyond all bounds', () => {
  it('is refused before it is read', async () => {
    await load('word-piece')
    await expect(classify('a'.repeat(1024 * 1024 + 1))).rejects.toMatchObject({ kind: 'too_large' })
  })
})

describe('models that are no classifier', () => {
  it.each([
    ['labels that are fewer than the graph has', ['O', 'B-PER'], /the graph has 7 labels, config.json names 2/],
    ['more', [...TINY_NER_LABELS, 'B-X'], /the graph has 7 labels, config.json names 8/],
    ['none', [], /id2label has no name for label 0/],
  ])('%s', async (_, labels, message) => {
    await writeTinyNer(join(backend.models, 'wrong'), { labels })
    await expect(load('wrong')).rejects.toThrow(message)
    await expect(classify('John')).rejects.toMatchObject({ kind: 'precondition_failed', code: 'model_not_loaded' })
  })

  it('a request with a threshold outside 0 to 1 is refused', async () => {
    await load('word-piece')
    for (const threshold of [-0.1, 1.1, Number.NaN]) {
      await expect(classify('John', threshold)).rejects.toMatchObject({ kind: 'invalid_request' })
    }
  })
})
