/** Features of tokens in the tiny models. The position in this list is the position in the row of features. */
export const FEATURES = ['first', 'last', 'city', 'cityTail', 'at', 'dot', 'word'] as const
export type Feature = (typeof FEATURES)[number]

/** Words that the tiny models know, in their spelling, with their features. */
const WORDS: Readonly<Record<Feature, readonly string[]>> = {
  first: ['John', 'Anna', 'José', 'Zoë', '李'],
  last: ['Smith', 'Müller', 'Nuñez', '明'],
  city: ['Paris', 'Zürich', 'New', '東'],
  cityTail: ['York', '京'],
  at: ['@'],
  dot: ['.'],
  word: [
    ...['my', 'name', 'is', 'and', 'lives', 'in', 'at', 'me', 'mail', 'hello', 'world', 'the', 'a', 'to', 'of'],
    ...['alice', 'bob', 'example', 'com', 'org', 'red', 'green', 'blue', 'apple', 'river', 'stone', 'bread'],
  ],
}

/** Tokens that are not text, in the order of their ids. */
export const SPECIAL_TOKENS = ['[PAD]', '[UNK]', '[CLS]', '[SEP]', '[MASK]'] as const

/** Every word with its feature. */
export function wordsWithFeatures(): readonly (readonly [string, Feature])[] {
  return FEATURES.flatMap((feature) => WORDS[feature].map((word) => [word, feature] as const))
}
