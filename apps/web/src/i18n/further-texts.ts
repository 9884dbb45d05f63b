/** Texts of a namespace. */
export type Texts = Readonly<Record<string, unknown>>

/** Loaders of the texts of all pages but the first ones, by file. */
export const further = import.meta.glob<Texts>(
  ['./locales/*/*.json', '!./locales/*/{chat,common,home,operations,sign-in}.json'],
  { import: 'default' },
)
