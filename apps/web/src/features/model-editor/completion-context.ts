/** A place of a model file where something is typed. */
export interface CompletionContext {
  /** The maps around it, from the top: `['pii']`. */
  readonly parents: readonly string[]
  /** The key whose value is typed; undefined while a key is typed. */
  readonly key: string | undefined
  /** Offset at which the typed word begins in the text. */
  readonly from: number
}

const KEY = /^(\s*)(?:- )?(\s*)([\w.-]+):(?:\s|$)/

/** Finds the context of an offset by the indentation of the lines above. Flow maps and block texts have no context. */
export function findCompletionContext(text: string, offset: number): CompletionContext | undefined {
  const start = text.lastIndexOf('\n', offset - 1) + 1
  const before = text.slice(start, offset)
  if (/^\s*#/.test(before) || /[{["']/.test(before)) return undefined
  const value = /^(\s*)(?:- )?([\w.-]+):\s+(\S*)$/.exec(before)
  if (value !== null) {
    const [, indent = '', key = '', word = ''] = value
    return { parents: findParents(text.slice(0, start), indent.length), key, from: offset - word.length }
  }
  const item = /^(\s*)- (\S*)$/.exec(before)
  if (item !== null) {
    const [, indent = '', word = ''] = item
    // a list may be indented as deep as its key
    const parents = findParents(text.slice(0, start), indent.length + 1)
    const key = parents.at(-1)
    return key === undefined ? undefined : { parents: parents.slice(0, -1), key, from: offset - word.length }
  }
  const name = /^(\s*)([\w.-]*)$/.exec(before)
  if (name === null) return undefined
  const [, indent = '', word = ''] = name
  return { parents: findParents(text.slice(0, start), indent.length), key: undefined, from: offset - word.length }
}

/** The keys above a line that are less indented than it, from the top. */
function findParents(above: string, indent: number): readonly string[] {
  const parents: string[] = []
  let limit = indent
  for (const line of above.split('\n').reverse()) {
    const found = KEY.exec(line)
    if (found === null || limit === 0) continue
    const [, spaces = '', , key = ''] = found
    if (spaces.length >= limit || line.trimStart().startsWith('- ')) continue
    parents.unshift(key)
    limit = spaces.length
  }
  return parents
}
