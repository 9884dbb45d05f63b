const FENCE = /^[^\S\n]*(?:```|~~~).*$/gm
const RULE = /^[^\S\n]*(?:[-*_][^\S\n]*){3,}$/gm
const LINE_MARK = /^\s{0,3}(?:#{1,6}\s+|>\s?|[-*+]\s+)/gm
const IMAGE = /!\[([^\]]{0,500})\]\([^)]{0,2000}\)/g
const LINK = /\[([^\]]{1,500})\]\([^)]{0,2000}\)/g
const ADDRESS = /<(https?:\/\/[^>\s]{1,2000})>/g
const TAG = /<\/?[a-zA-Z][^<>]{0,500}>/g
const STRONG = /(\*\*|__)(?=\S)(.{1,500}?\S|\S)\1/g
const EMPHASIS = /(?<![\w*])\*(?=\S)([^*\n]{1,500}?)\*(?![\w*])/g
const CODE = /`([^`\n]{1,500})`/g

/** A description as text: the signs of Markdown and HTML are taken out, since lists and heads show plain text. */
export function toPlainText(markdown: string): string {
  return markdown
    .replace(FENCE, '')
    .replace(RULE, '')
    .replace(LINE_MARK, '')
    .replace(IMAGE, '$1')
    .replace(LINK, '$1')
    .replace(ADDRESS, '$1')
    .replace(TAG, '')
    .replace(STRONG, '$2')
    .replace(EMPHASIS, '$1')
    .replace(CODE, '$1')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
}
