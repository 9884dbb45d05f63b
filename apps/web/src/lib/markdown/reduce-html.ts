/** Elements that raw HTML in an answer may use, without attributes. */
const TAGS: ReadonlySet<string> = new Set(
  `abbr b blockquote br code dd del details div dl dt em h1 h2 h3 h4 h5 h6 hr i ins kbd li mark ol p pre q s samp small
  span strong sub summary sup table tbody td th thead tr u ul var`.split(/\s+/),
)
const TAG = /<!--[\s\S]*?(?:-->|$)|<(script|style)\b[\s\S]*?(?:<\/\1[^>]*>|$)|<(\/?)([a-z][a-z0-9]*)(?:\s[^<>]*)?\/?>/gi

/** Reduces raw HTML to plain elements: attributes, scripts, styles and comments go, other text is shown as it is. */
export function reduceHtml(html: string): string {
  let reduced = ''
  let end = 0
  for (const match of html.matchAll(TAG)) {
    const [whole, , slash = '', name = ''] = match
    reduced += escapeText(html.slice(end, match.index))
    if (TAGS.has(name.toLowerCase())) reduced += `<${slash}${name.toLowerCase()}>`
    end = match.index + whole.length
  }
  return reduced + escapeText(html.slice(end))
}

function escapeText(text: string): string {
  return text
    .replace(/&(?!#?\w+;)/g, '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
}
