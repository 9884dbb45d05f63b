import { createTinyTokenizer, type TinyTokenizerKind } from '@svc/test-kit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { library } from './library.ts'
import { createTextTokenizer, type TextTokenizer } from './tokenizer.ts'

const KINDS: readonly TinyTokenizerKind[] = ['word-piece', 'bytes', 'unigram']
const signal = new AbortController().signal
const config = { pad_token: '[PAD]', unk_token: '[UNK]' }

/** A tokenizer with parts of its file changed from the tiny one's. */
function create(kind: TinyTokenizerKind, changes: Readonly<Record<string, unknown>> = {}): TextTokenizer {
  return createTextTokenizer({ tokenizer: { ...createTinyTokenizer(kind).file, ...changes }, config })
}

async function encodeParts(tokenizer: TextTokenizer, text: string): Promise<string[]> {
  return (await tokenizer.encode(text, { signal })).map(({ start, end }) => text.slice(start, end))
}

const character = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...'abcJohnPS .,@\n\t') },
  {
    weight: 1,
    arbitrary: fc.constantFrom('é', 'e\u0301', 'ü', 'ñ', '李', '明', '東', 'Ａ', 'ﬁ', 'ｶﾞ', '한', '각', 'İ'),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom('👩‍👩‍👧', '🏳️‍🌈', '𝔘', '\r\n', '\u00a0', '\u200b', '\u0000', '\ufffd', '\u0301'),
  },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }) },
)
const texts = fc.array(fc.oneof(character, fc.constantFrom('John', ' Smith', ' José', 'New York', ' Müller')), {
  maxLength: 40,
})

describe.each(KINDS)('tokens of %s', (kind) => {
  const tokenizer = create(kind)
  const original = new library.Tokenizer(createTinyTokenizer(kind).file, config)

  it('equal those of the library', async () => {
    const property = fc.asyncProperty(texts, async (characters) => {
      const text = characters.join('')
      const ids = (await tokenizer.encode(text, { signal })).map(({ id }) => id)
      expect(ids).toEqual([...original.encode(text, { add_special_tokens: false }).ids])
    })
    await fc.assert(property, { numRuns: 2000 })
  })

  it('have ascending source ranges of whole characters, inside the text', async () => {
    const property = fc.asyncProperty(texts, async (characters) => {
      const text = characters.join('')
      let last = 0
      for (const { start, end } of await tokenizer.encode(text, { signal })) {
        expect(start).toBeGreaterThanOrEqual(last)
        expect(end).toBeGreaterThanOrEqual(start)
        expect(end).toBeLessThanOrEqual(text.length)
        expect(() => encodeURIComponent(text.slice(start, end))).not.toThrow()
        last = start
      }
    })
    await fc.assert(property, { numRuns: 1000 })
  })
})

describe('where tokens come from', () => {
  it.each([
    ['word-piece', 'John é-x', ['John', 'é', '-', 'x']],
    ['word-piece', 'JOSE\u0301 Nun\u0303ez', ['JOSE\u0301', 'Nun\u0303ez']],
    ['word-piece', '東京John', ['東', '京', 'John']],
    ['word-piece', 'a\u200bb\u0000c', ['a', 'b', 'c']],
    ['bytes', 'é John', ['é', 'é', ' John']],
    ['bytes', '👩', ['👩', '👩', '👩', '👩']],
    ['unigram', 'ＪＯ ﬁ John', ['', 'ＪＯ', ' ', 'ﬁ', 'ﬁ', ' John']],
  ] as const)('%s: %j', async (kind, text, expected) => {
    expect(await encodeParts(create(kind), text)).toEqual(expected)
  })

  it('special tokens in a text are text', async () => {
    for (const kind of KINDS) {
      const tokenizer = create(kind)
      const text = '[SEP]John[MASK][CLS] [PAD]'
      const tokens = await tokenizer.encode(text, { signal })
      const unknown = 1
      for (const { id } of tokens) expect(id === unknown || id > 4, kind).toBe(true)
      expect(tokens.at(-1)?.end, kind).toBe(text.length)
    }
  })

  it('added tokens that are not special are found, in the text or in its normal form, with the blanks they take', async () => {
    const { file } = createTinyTokenizer('word-piece')
    const plain = { special: false, single_word: false, lstrip: false, rstrip: false }
    const added_tokens = [
      ...(file.added_tokens as readonly unknown[]),
      { ...plain, id: 900, content: '<Ｘ>', normalized: false },
      { ...plain, id: 901, content: 'ÉTÉ', normalized: true },
      { ...plain, id: 902, content: '<n>', normalized: false, lstrip: true, rstrip: true },
      { ...plain, id: 903, content: '<nn>', normalized: false },
    ]
    const tokenizer = create('word-piece', { added_tokens })
    const text = 'a<Ｘ>John été  <n>  a<nn>'
    const tokens = await tokenizer.encode(text, { signal })
    expect(tokens.map(({ id }) => id).filter((id) => id >= 900)).toEqual([900, 901, 902, 903])
    expect(tokens.map(({ start, end }) => text.slice(start, end))).toEqual([
      'a',
      '<Ｘ>',
      'John',
      'été',
      '<n>',
      'a',
      '<nn>',
    ])
    const original = new library.Tokenizer({ ...file, added_tokens }, config)
    expect(tokens.map(({ id }) => id)).toEqual(original.encode(text, { add_special_tokens: false }).ids)
  })
})

describe('normalizers and pre-tokenizers of every kind', () => {
  const sequence = (key: string, ...parts: readonly object[]): object => ({ type: 'Sequence', [key]: parts })
  const split = (behavior: string, invert: boolean): object => ({
    type: 'Split',
    pattern: { Regex: '\\d+' },
    behavior,
    invert,
  })

  it.each<[string, Readonly<Record<string, unknown>>]>([
    ['Replace', { normalizer: { type: 'Replace', pattern: { Regex: ' {2,}' }, content: ' ' } }],
    ['Strip', { normalizer: { type: 'Strip', strip_left: true, strip_right: true } }],
    ['Prepend', { normalizer: { type: 'Prepend', prepend: 'x' } }],
    ['NFD and StripAccents', { normalizer: sequence('normalizers', { type: 'NFD' }, { type: 'StripAccents' }) }],
    ['NFC', { normalizer: { type: 'NFC' } }],
    ['NFKD', { normalizer: { type: 'NFKD' } }],
    ['Precompiled', { normalizer: { type: 'Precompiled', precompiled_charsmap: null } }],
    ['Whitespace', { pre_tokenizer: { type: 'Whitespace' } }],
    [
      'WhitespaceSplit and Punctuation',
      { pre_tokenizer: sequence('pretokenizers', { type: 'WhitespaceSplit' }, { type: 'Punctuation' }) },
    ],
    ['Digits', { pre_tokenizer: { type: 'Digits', individual_digits: true } }],
    ['Split, isolated', { pre_tokenizer: split('Isolated', false) }],
    ['Split, removed', { pre_tokenizer: split('Removed', false) }],
    ['Split, inverted', { pre_tokenizer: split('Isolated', true) }],
    ['FixedLength', { pre_tokenizer: { type: 'FixedLength', length: 3 } }],
    [
      'Metaspace before the first word alone',
      { pre_tokenizer: { type: 'Metaspace', replacement: '▁', prepend_scheme: 'first' } },
    ],
    [
      'Split, then bytes',
      {
        pre_tokenizer: sequence('pretokenizers', split('Isolated', false), {
          type: 'ByteLevel',
          add_prefix_space: true,
          use_regex: true,
        }),
      },
    ],
    ['bytes without words', { pre_tokenizer: { type: 'ByteLevel', add_prefix_space: false, use_regex: false } }],
    ['Replace among the words', { pre_tokenizer: { type: 'Replace', pattern: { String: 'o' }, content: '00' } }],
  ])('%s: the tokens are those of the library', async (_, changes) => {
    for (const kind of KINDS) {
      const tokenizer = create(kind, changes)
      const original = new library.Tokenizer({ ...createTinyTokenizer(kind).file, ...changes }, config)
      const property = fc.asyncProperty(texts, fc.nat(999), async (characters, number) => {
        const text = [...characters, number, ...characters].join('')
        const tokens = await tokenizer.encode(text, { signal })
        expect(tokens.map(({ id }) => id)).toEqual([...original.encode(text, { add_special_tokens: false }).ids])
        expect(tokens.every(({ start, end }) => 0 <= start && start <= end && end <= text.length)).toBe(true)
      })
      await fc.assert(property, { numRuns: 100 })
    }
  })
})

describe('long texts', () => {
  it('splits texts at blanks without changing tokens, and stops at an abort', async () => {
    const text = 'John Smith lives in New York. é 👩‍👩‍👧 '.repeat(3000)
    for (const kind of KINDS) {
      const tokenizer = create(kind)
      const tokens = await tokenizer.encode(text, { signal })
      const short = await tokenizer.encode(text.slice(0, 'John Smith lives in New York. é 👩‍👩‍👧 '.length * 30), {
        signal,
      })
      expect(tokens.slice(0, short.length - 1)).toEqual(short.slice(0, -1))
      expect(tokens.at(-1)?.end).toBeGreaterThan(text.length - 3)
    }
    const controller = new AbortController()
    const reading = create('word-piece').encode(text, { signal: controller.signal })
    controller.abort(new Error('left'))
    await expect(reading).rejects.toThrow('left')
  })

  it('is heard of between many short ones', async () => {
    const controller = new AbortController()
    const tokenizer = create('word-piece')
    setImmediate(() => controller.abort(new Error('left')))
    const reading = async (): Promise<void> => {
      for (let i = 0; i < 20_000; i++) await tokenizer.encode('John', { signal: controller.signal })
    }
    await expect(reading()).rejects.toThrow('left')
  })

  it('without a blank are cut between characters', async () => {
    const text = '🎉'.repeat(20_000)
    const tokens = await create('bytes').encode(text, { signal })
    expect(tokens).toHaveLength(80_000)
    expect(tokens.every(({ start, end }) => end - start === 2)).toBe(true)
  })
})
