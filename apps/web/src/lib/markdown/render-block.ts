import DOMPurify from 'dompurify'
import { Lexer, type Links } from 'marked'
import { markdownReader } from './reader.ts'

/** Elements that an answer may hold. Nothing that loads, sends, styles or runs. */
const TAGS =
  `a abbr b blockquote br code del details div dd dl dt em h1 h2 h3 h4 h5 h6 hr i img input ins kbd li mark ol
  p pre q s samp small span strong sub summary sup table tbody td th thead tr u ul var`.split(/\s+/)

/**
 * Turns one block of markdown into sanitised elements.
 *
 * @param links definitions from other blocks of the text
 */
export function renderBlock(block: string, links: Links): DocumentFragment {
  const lexer = new Lexer(markdownReader.defaults)
  Object.assign(lexer.tokens.links, links)
  const html = markdownReader.parser(lexer.lex(block))
  return DOMPurify.sanitize(html, {
    ALLOWED_TAGS: TAGS,
    ALLOWED_ATTR: ['href', 'title', 'alt', 'src', 'class', 'start', 'align', 'type', 'checked', 'disabled', 'open'],
    // their values are words, which the pattern of addresses would refuse
    ADD_URI_SAFE_ATTR: ['start', 'align', 'type', 'checked', 'disabled', 'open'],
    ALLOW_DATA_ATTR: false,
    ALLOWED_URI_REGEXP: /^(https?:|mailto:|data:image\/(png|jpeg|gif|webp);base64,)/i,
    RETURN_DOM_FRAGMENT: true,
  })
}
