/** Sounds that recognisers describe: `[cough]`, `(laughs)`, `*sighs*`, notes of music. */
const REMARKS = /\[[^\]]*\]|\([^)]*\)|\*[^*]*\*|[♪♫]/g
/** Signs inside of numbers belong to them: "10:30", "1,234.56". */
const WORD = /[\p{L}\p{M}\p{N}]+(?:['-][\p{L}\p{M}\p{N}]+|(?<=\p{N})[.,:/]\p{N}+)*/gu

/** Leaves out what a recogniser says about sounds that are not speech. */
export function removeRemarks(text: string): string {
  return text.replace(REMARKS, ' ').trim()
}

/** Gives the words of a text in lower case. */
export function splitWords(text: string): readonly string[] {
  return text.normalize('NFC').replaceAll('’', "'").toLowerCase().match(WORD) ?? []
}
