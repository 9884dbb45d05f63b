/**
 * The used parts of `@huggingface/tokenizers`, with types: its own declarations name files without endings, which
 * Node's resolution does not find.
 *
 * @module
 */
import * as tokenizers from '@huggingface/tokenizers'

/** Changes a text before it is cut. */
export interface Normalizer {
  normalize(text: string): string
}
/** Splits a text into words. */
export interface PreTokenizer {
  pre_tokenize_text(text: string, options?: { readonly section_index: number }): string[]
}
/** Puts special tokens around one text, or two. */
export interface PostProcessor {
  post_process(
    tokens: readonly string[],
    pair: readonly string[] | null,
    addSpecial: boolean,
  ): { readonly tokens: readonly string[]; readonly token_type_ids?: readonly number[] | undefined }
}
/** Splits a word into tokens. */
export interface Model {
  /** Texts by id. */
  readonly vocab: readonly (string | undefined)[]
  readonly tokens_to_ids: ReadonlyMap<string, number>
  readonly unk_token_id?: number | undefined
  readonly end_of_word_suffix?: string | undefined
  /** Whether consecutive unknown tokens become one. */
  readonly fuse_unk: boolean
  encode(words: readonly string[]): string[]
}

interface SequenceNormalizer extends Normalizer {
  readonly normalizers: readonly (Normalizer | null)[]
}
interface StripNormalizer extends Normalizer {
  readonly config: { readonly strip_left?: boolean; readonly strip_right?: boolean }
}
interface PrependNormalizer extends Normalizer {
  readonly config: { readonly prepend: string }
}
interface ReplaceNormalizer extends Normalizer {
  readonly pattern: RegExp | null
  readonly config: { readonly content?: string | undefined }
}
interface SequencePreTokenizer extends PreTokenizer {
  readonly tokenizers: readonly (PreTokenizer | null)[]
}
/** Writes the bytes of words as letters. */
export interface ByteLevelPreTokenizer extends PreTokenizer {
  readonly add_prefix_space: boolean
}
/** Marks spaces. */
export interface MetaspacePreTokenizer extends PreTokenizer {
  readonly replacement: string
  readonly str_rep: string
  readonly prepend_scheme: 'always' | 'first' | 'never'
}
interface ReplacePreTokenizer extends PreTokenizer {
  readonly pattern: RegExp | null
  readonly content: string
}
/** Longest pieces first. */
export interface WordPiece extends Model {
  readonly config: { readonly continuing_subword_prefix?: string }
}
/** Merges letters into pieces. */
export interface BPE extends Model {
  readonly continuing_subword_suffix: string | null
  readonly byte_fallback: boolean
  readonly ignore_merges: boolean
  bpe(word: string): readonly string[]
}
/** The likeliest pieces. */
export interface Unigram extends Model {
  tokenize(word: string): readonly string[]
}

interface Tokenizer {
  readonly normalizer: Normalizer | null
  readonly pre_tokenizer: PreTokenizer | null
  readonly model: Model | null
  readonly post_processor: PostProcessor | null
  token_to_id(token: string): number | undefined
  encode(text: string, options: { readonly add_special_tokens: boolean }): { readonly ids: readonly number[] }
  decode(ids: number[], options: { readonly clean_up_tokenization_spaces: boolean }): string
}

type Class<Instance> = new (...parameters: never[]) => Instance

interface Library {
  readonly Tokenizer: new (tokenizer: object, config: object) => Tokenizer
  readonly SequenceNormalizer: Class<SequenceNormalizer>
  readonly StripNormalizer: Class<StripNormalizer>
  readonly PrependNormalizer: Class<PrependNormalizer>
  readonly ReplaceNormalizer: Class<ReplaceNormalizer>
  readonly SequencePreTokenizer: Class<SequencePreTokenizer>
  readonly ByteLevelPreTokenizer: Class<ByteLevelPreTokenizer>
  readonly MetaspacePreTokenizer: Class<MetaspacePreTokenizer>
  readonly ReplacePreTokenizer: Class<ReplacePreTokenizer>
  readonly WordPiece: Class<WordPiece>
  readonly BPE: Class<BPE>
  readonly Unigram: Class<Unigram>
}

/** The classes of the library. */
export const library = tokenizers as unknown as Library
