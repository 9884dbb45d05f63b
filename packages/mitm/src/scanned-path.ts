/** The format of a scanned body, by its path. */
export type ScannedFormat = 'chat-completions' | 'messages'

const FORMATS: ReadonlyMap<string, ScannedFormat> = new Map([
  ['/v1/chat/completions', 'chat-completions'],
  ['/v1/messages', 'messages'],
])
/** A path may be decoded by several servers in a row. */
const MAX_DECODINGS = 3

/**
 * Finds the format of a request target, by any spelling that some server may take for a scanned path: with a query or
 * parameters, repeated, missing or encoded characters, dots, another case.
 *
 * @returns undefined for other paths
 */
export function findFormat(target: string): ScannedFormat | undefined {
  return (
    FORMATS.get(target) ??
    listSpellings(target)
      .flatMap((path) => FORMATS.get(path) ?? [])
      .at(0)
  )
}

/**
 * Brings the path of a request target into the plainest spelling. There are two where an encoded `?` or `#` stands in
 * the path. The spellings are only for comparing: the target goes on as it came.
 */
function listSpellings(target: string): readonly string[] {
  const path = decode(target.replace(/^https?:\/\/[^/?#\\]*/i, '').replace(/[?#].*$/s, ''))
  const cut = path.replace(/[?#].*$/s, '')
  return cut === path ? [simplify(path)] : [simplify(path), simplify(cut)]
}

function simplify(path: string): string {
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
