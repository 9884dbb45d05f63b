import DOMPurify from 'dompurify'
import { marked } from 'marked'

const purifier = DOMPurify()

// Links leave for http and https alone, and tell the other side nothing.
purifier.addHook('afterSanitizeAttributes', (node) => {
  if (!(node instanceof HTMLAnchorElement)) return
  const href = node.getAttribute('href') ?? ''
  if (!/^https?:/i.test(href) && !href.startsWith('#')) node.removeAttribute('href')
  else node.setAttribute('rel', 'noopener noreferrer')
})

/**
 * Turns a whole markdown text into safe HTML: no scripts, no styles, no forms, and no pictures, which could be fetched
 * from elsewhere. Boxes that scroll can be reached by keyboard.
 */
export function renderMarkdown(text: string): string {
  const html = purifier.sanitize(marked.parse(text, { async: false, gfm: true }), {
    USE_PROFILES: { html: true },
    FORBID_TAGS: ['img', 'style', 'form', 'input', 'button', 'video', 'audio', 'iframe'],
    FORBID_ATTR: ['style', 'id', 'name'],
  })
  return html.replaceAll('<pre>', '<pre tabindex="0">')
}
