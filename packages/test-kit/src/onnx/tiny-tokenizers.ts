import { type Feature, SPECIAL_TOKENS, wordsWithFeatures } from './tiny-vocabulary.ts'

/** Kinds of tokenizers that encoders have: pieces of lower-case words, merged bytes, or the likeliest pieces. */
export type TinyTokenizerKind = 'word-piece' | 'bytes' | 'unigram'

/** A tokenizer with the feature of each of its tokens. */
export interface TinyTokenizer {
  /** Contents of `tokenizer.json`. */
  readonly file: Readonly<Record<string, unknown>>
  /** By token id; undefined for tokens that are not a known word. */
  readonly features: readonly (Feature | undefined)[]
}

const CHARACTERS = [...'abcdefghijklmnopqrstuvwxyz0123456789,!?\'"-:;()/']

/** Creates a tokenizer over the tiny vocabulary; it splits unknown text into letters. */
export function createTinyTokenizer(kind: TinyTokenizerKind): TinyTokenizer {
  switch (kind) {
    case 'word-piece':
      return createWordPiece()
    case 'bytes':
      return createBytes()
    case 'unigram':
      return createUnigram()
  }
}

/** Lower case, without accents, Han characters one by one. */
function createWordPiece(): TinyTokenizer {
  const known = new Map(wordsWithFeatures().map(([word, feature]) => [plain(word), feature]))
  const texts = new Set([...SPECIAL_TOKENS, ...known.keys(), ...CHARACTERS, ...CHARACTERS.map((c) => `##${c}`)])
  const vocabulary = [...texts]
  return {
    features: vocabulary.map((text) => known.get(text)),
    file: {
      ...frame(),
      normalizer: {
        type: 'BertNormalizer',
        clean_text: true,
        handle_chinese_chars: true,
        strip_accents: null,
        lowercase: true,
      },
      pre_tokenizer: { type: 'BertPreTokenizer' },
      decoder: { type: 'WordPiece', prefix: '##', cleanup: true },
      model: {
        type: 'WordPiece',
        unk_token: '[UNK]',
        continuing_subword_prefix: '##',
        max_input_chars_per_word: 100,
        vocab: Object.fromEntries(vocabulary.map((text, id) => [text, id])),
      },
    },
  }
}

/** Case kept; every byte has a token, and known words are merged from theirs, with a space in front and without. */
function createBytes(): TinyTokenizer {
  const letters = byteLetters()
  const known = new Map<string, Feature>()
  const merges = new Map<string, readonly [string, string]>()
  // Pairs that are merged first come first: a space joins its word before the word is whole.
  for (const space of [' ', '']) {
    for (const [word, feature] of wordsWithFeatures()) {
      const form = `${space}${word}`
      const units = [...Buffer.from(form)].map((byte) => letters[byte] ?? '')
      let merged = units[0] ?? ''
      for (const unit of units.slice(1)) {
        merges.set(merged + unit, [merged, unit])
        merged += unit
      }
      known.set(merged, feature)
    }
  }
  const vocabulary = [...new Set([...SPECIAL_TOKENS, ...letters, ...merges.keys()])]
  return {
    features: vocabulary.map((text) => known.get(text)),
    file: {
      ...frame(),
      normalizer: null,
      pre_tokenizer: { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: true },
      decoder: { type: 'ByteLevel' },
      model: {
        type: 'BPE',
        unk_token: null,
        continuing_subword_prefix: null,
        end_of_word_suffix: null,
        fuse_unk: false,
        byte_fallback: false,
        vocab: Object.fromEntries(vocabulary.map((text, id) => [text, id])),
        merges: [...merges.values()],
      },
    },
  }
}

/** Compatibility forms unified, a mark for each space; unknown characters in a row are one token. */
function createUnigram(): TinyTokenizer {
  const known = new Map(
    wordsWithFeatures().flatMap(([word, feature]) => [[word, feature] as const, [`\u2581${word}`, feature] as const]),
  )
  const vocabulary = [...new Set([...SPECIAL_TOKENS, ...known.keys(), '\u2581', ...CHARACTERS])]
  return {
    features: vocabulary.map((text) => known.get(text)),
    file: {
      ...frame(),
      normalizer: { type: 'Sequence', normalizers: [{ type: 'NFKC' }] },
      pre_tokenizer: { type: 'Metaspace', replacement: '\u2581', prepend_scheme: 'always', split: true },
      decoder: { type: 'Metaspace', replacement: '\u2581', prepend_scheme: 'always', split: true },
      model: {
        type: 'Unigram',
        unk_id: SPECIAL_TOKENS.indexOf('[UNK]'),
        vocab: vocabulary.map((text) => [text, known.has(text) ? -2 : -8]),
      },
    },
  }
}

function frame(): Readonly<Record<string, unknown>> {
  const token = (content: string): unknown => ({ id: content, ids: [toId(content)], tokens: [content] })
  const special = (id: string, type: number): unknown => ({ SpecialToken: { id, type_id: type } })
  const text = (id: string, type: number): unknown => ({ Sequence: { id, type_id: type } })
  return {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: SPECIAL_TOKENS.map((content, id) => ({
      id,
      content,
      single_word: false,
      lstrip: false,
      rstrip: false,
      normalized: false,
      special: true,
    })),
    post_processor: {
      type: 'TemplateProcessing',
      single: [special('[CLS]', 0), text('A', 0), special('[SEP]', 0)],
      pair: [special('[CLS]', 0), text('A', 0), special('[SEP]', 0), text('B', 1), special('[SEP]', 1)],
      special_tokens: { '[CLS]': token('[CLS]'), '[SEP]': token('[SEP]') },
    },
  }
}

function toId(content: string): number {
  return [...SPECIAL_TOKENS].map(String).indexOf(content)
}

function plain(word: string): string {
  return word
    .toLowerCase()
    .normalize('NFD')
    .replace(/\p{Mn}/gu, '')
}

/** A visible letter for each byte: itself where it is one, else one from behind U+0100. */
function byteLetters(): readonly string[] {
  let next = 256
  return Array.from({ length: 256 }, (_, byte) => {
    const isVisible = (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174
    return String.fromCharCode(isVisible ? byte : next++)
  })
}
