/** Controls, marks of direction and other characters that a reader does not see. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Default_Ignorable_Code_Point}\u2800]/u
const UNSEEN_ALL = new RegExp(UNSEEN, 'gu')

/** Characters of an emoji that is made of several. */
const EMOJI = '\\p{Extended_Pictographic}\\p{Emoji_Modifier}'
/** Scripts that write with joiners. */
const JOINING = [
  ...['Arabic', 'Syriac', 'Devanagari', 'Bengali', 'Gurmukhi', 'Gujarati', 'Oriya'],
  ...['Tamil', 'Telugu', 'Kannada', 'Malayalam', 'Sinhala', 'Khmer', 'Mongolian'],
]
  .map((script) => `\\p{scx=${script}}`)
  .join('')

/** Unseen characters that letters and emoji need, in the places where they need them. */
const NEEDED = new RegExp(
  [
    `(?<=[${EMOJI}]\\ufe0f?)\\u200d(?=[${EMOJI}])`,
    '(?<=[\\p{Emoji}\\u200d])[\\ufe0e\\ufe0f]',
    `(?<=[${JOINING}])[\\u200c\\u200d]`,
    '(?<=\\p{Script=Han})[\\u{e0100}-\\u{e01ef}]',
  ].join('|'),
  'gu',
)

/** Whether a text holds characters that a reader does not see. Characters that letters and emoji need do not count. */
export function hasUnseen(text: string): boolean {
  return UNSEEN.test(text.replace(NEEDED, ''))
}

/** Takes these characters out; each line end and tab becomes a blank. */
export function removeUnseen(text: string): string {
  if (!hasUnseen(text)) return text
  return text.replace(/[\t\n\r\v\f\u0085\p{Zl}\p{Zp}]+/gu, ' ').replace(UNSEEN_ALL, '')
}
