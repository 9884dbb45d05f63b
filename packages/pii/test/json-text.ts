import { parseJson, walkStrings } from '@svc/json'

/** JSON in its written form: with duplicates of keys, numbers as text, and JSON inside strings. */
export type Tree =
  | { readonly kind: 'string'; readonly text: string }
  | { readonly kind: 'json'; readonly tree: Tree }
  | { readonly kind: 'number' | 'literal'; readonly text: string }
  | { readonly kind: 'array'; readonly items: readonly Tree[] }
  | { readonly kind: 'object'; readonly members: readonly (readonly [string, Tree])[] }

/** Numbers from 0 up to a bound, the same ones for one seed. */
export type Random = (below: number) => number

export function createRandom(seed: number): Random {
  let state = seed >>> 0
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

export function pick<T>(random: Random, choices: readonly [T, ...T[]]): T {
  return choices[random(choices.length)] ?? choices[0]
}

/** Writes JSON in one of its many forms: blanks anywhere, any character of a string escaped or not. */
export function writeTree(tree: Tree, random: Random): string {
  const blank = () => pick(random, ['', '', '', '', ' ', '\n', '\t '])
  switch (tree.kind) {
    case 'string':
      return writeString(tree.text, random)
    case 'json':
      return writeString(blank() + writeTree(tree.tree, random), random)
    case 'number':
    case 'literal':
      return tree.text
    case 'array':
      return `[${tree.items.map((item) => blank() + writeTree(item, random)).join(`${blank()},`)}${blank()}]`
    case 'object': {
      const members = tree.members.map(
        ([key, value]) => `${blank()}${writeString(key, random)}${blank()}:${blank()}${writeTree(value, random)}`,
      )
      return `{${members.join(',')}${blank()}}`
    }
  }
}

function writeString(text: string, random: Random): string {
  const escapeEvery = pick(random, [0, 0, 0, 1, 4, 9])
  let written = '"'
  for (let index = 0; index < text.length; index++) {
    const unit = text.charAt(index)
    const isEscaped = escapeEvery > 0 && random(escapeEvery) === 0
    const hex = unit.charCodeAt(0).toString(16).padStart(4, '0')
    written += isEscaped ? `\\u${pick(random, [hex, hex.toUpperCase()])}` : JSON.stringify(unit).slice(1, -1)
  }
  return `${written}"`
}

/** Every text in JSON bytes: strings and keys, duplicates too, numbers, and the same of JSON inside strings. */
export function allTexts(source: string): string[] {
  const found: string[] = [source]
  for (const leaf of walkStrings(parseJson(new TextEncoder().encode(source)).root)) {
    const text = leaf.node.text()
    if (isJson(text)) found.push(...allTexts(text))
    else found.push(text)
  }
  return found
}

function isJson(text: string): boolean {
  try {
    return typeof JSON.parse(text) === 'object'
  } catch {
    return false
  }
}

/** For every list in JSON the texts of its parts joined, as a reader joins the parts of a message. */
export function joinedParts(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  const inner = Object.values(value).flatMap(joinedParts)
  if (!Array.isArray(value)) return inner
  const texts = value.map((part: unknown) =>
    typeof part === 'object' && part !== null && 'text' in part && typeof part.text === 'string' ? part.text : '',
  )
  return [texts.join(''), ...inner]
}
