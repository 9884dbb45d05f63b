/** A path may be decoded by several servers in a row. */
const MAX_DECODINGS = 3

/**
 * Brings the path of a request target into the plainest spelling. A path with an encoded `?` or `#` has two spellings.
 * They are only for comparing: the target goes on as it came.
 */
export function listSpellings(target: string): readonly string[] {
  const path = decode(target.replace(/^https?:\/\/[^/?#\\]*/i, '').replace(/[?#].*$/s, ''))
  const cut = path.replace(/[?#].*$/s, '')
  return cut === path ? [simplifyPath(path)] : [simplifyPath(path), simplifyPath(cut)]
}

/** Brings a decoded path into the plainest spelling. */
export function simplifyPath(path: string): string {
  const segments: string[] = []
  for (const segment of path.replaceAll('\\', '/').toLowerCase().split('/')) {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: servers differ in what they trim
    const name = segment.replace(/;.*$/s, '').replace(/^[\x00-\x20\x7f]+|[\x00-\x20\x7f]+$/g, '')
    if (name === '' || name === '.') continue
    if (name === '..') segments.pop()
    else segments.push(name)
  }
  return `/${segments.join('/')}`
}

function decode(text: string): string {
  let decoded = text
  for (let round = 0; round < MAX_DECODINGS && decoded.includes('%'); round += 1) {
    decoded = decoded.replace(/%([0-9a-f]{2})/gi, (_, digits: string) =>
      String.fromCharCode(Number.parseInt(digits, 16)),
    )
  }
  return decoded
}
