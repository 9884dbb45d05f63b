/** A grammar in the language of llama.cpp, read back from its text for tests. */
export interface Gbnf {
  readonly rules: ReadonlyMap<string, GbnfNode>
}

type GbnfNode =
  | { readonly kind: 'class'; readonly ranges: readonly (readonly [number, number])[] }
  | { readonly kind: 'rule'; readonly name: string }
  | { readonly kind: 'sequence'; readonly items: readonly GbnfNode[] }
  | { readonly kind: 'choice'; readonly options: readonly GbnfNode[] }
  | { readonly kind: 'repeat'; readonly item: GbnfNode; readonly min: number; readonly max: number }

/** Reads the text of a grammar; throws at unknown syntax and at missing rules. */
export function readGbnf(text: string): Gbnf {
  const rules = new Map<string, GbnfNode>()
  for (const line of text.split('\n').filter((one) => one !== '')) {
    const match = /^([A-Za-z0-9-]+) ::= (.*)$/.exec(line)
    if (match === null) throw new Error(`no rule: ${line.slice(0, 80)}`)
    const [, name = '', body = ''] = match
    if (rules.has(name)) throw new Error(`rule ${name} is there twice`)
    rules.set(name, new Reader([...body], name).readAll())
  }
  if (!rules.has('root')) throw new Error('there is no root')
  for (const [name, node] of rules) {
    for (const used of namesIn(node)) if (!rules.has(used)) throw new Error(`${name} names ${used}, which is missing`)
  }
  return { rules }
}

function namesIn(node: GbnfNode): readonly string[] {
  if (node.kind === 'rule') return [node.name]
  if (node.kind === 'sequence') return node.items.flatMap(namesIn)
  if (node.kind === 'choice') return node.options.flatMap(namesIn)
  return node.kind === 'repeat' ? namesIn(node.item) : []
}

class Reader {
  readonly #text: readonly string[]
  readonly #name: string
  #at = 0

  constructor(text: readonly string[], name: string) {
    this.#text = text
    this.#name = name
  }

  readAll(): GbnfNode {
    const node = this.#readChoice()
    if (this.#at < this.#text.length) throw this.#error('is not finished')
    return node
  }

  #error(what: string): Error {
    return new Error(`rule ${this.#name}, character ${this.#at}: ${what}`)
  }

  #skip(): void {
    while (this.#text[this.#at] === ' ') this.#at += 1
  }

  #readChoice(): GbnfNode {
    const options = [this.#readSequence()]
    while (this.#text[this.#at] === '|') {
      this.#at += 1
      options.push(this.#readSequence())
    }
    return { kind: 'choice', options }
  }

  #readSequence(): GbnfNode {
    const items: GbnfNode[] = []
    for (this.#skip(); ; this.#skip()) {
      const next = this.#text[this.#at]
      if (next === undefined || next === '|' || next === ')') return { kind: 'sequence', items }
      items.push(this.#readRepeat(this.#readItem(next)))
    }
  }

  #readItem(next: string): GbnfNode {
    if (next === '"') return this.#readLiteral()
    if (next === '[') return this.#readClass()
    if (next === '(') {
      this.#at += 1
      const node = this.#readChoice()
      if (this.#text[this.#at] !== ')') throw this.#error('expected a closing parenthesis')
      this.#at += 1
      return node
    }
    const start = this.#at
    while (/^[A-Za-z0-9-]$/.test(this.#text[this.#at] ?? '')) this.#at += 1
    if (start === this.#at) throw this.#error('expected an item')
    return { kind: 'rule', name: this.#text.slice(start, this.#at).join('') }
  }

  #readLiteral(): GbnfNode {
    this.#at += 1
    const items: GbnfNode[] = []
    while (this.#text[this.#at] !== '"') {
      const codePoint = this.#readCharacter()
      items.push({ kind: 'class', ranges: [[codePoint, codePoint]] })
    }
    this.#at += 1
    return { kind: 'sequence', items }
  }

  #readClass(): GbnfNode {
    this.#at += 1
    const ranges: [number, number][] = []
    while (this.#text[this.#at] !== ']') {
      const first = this.#readCharacter()
      let last = first
      if (this.#text[this.#at] === '-') {
        this.#at += 1
        last = this.#readCharacter()
      }
      if (last < first) throw this.#error('a range is the wrong way round')
      ranges.push([first, last])
    }
    this.#at += 1
    if (ranges.length === 0) throw this.#error('a class is empty')
    return { kind: 'class', ranges }
  }

  #readCharacter(): number {
    const character = this.#text[this.#at]
    if (character === undefined) throw this.#error('ends too early')
    this.#at += 1
    if (character !== '\\') return character.codePointAt(0) ?? 0
    const letter = this.#text[this.#at] ?? ''
    this.#at += 1
    const size = { x: 2, u: 4, U: 8 }[letter]
    if (size === undefined) throw this.#error(`unknown escape ${letter}`)
    const digits = this.#text.slice(this.#at, this.#at + size).join('')
    if (!/^[0-9A-F]+$/.test(digits) || digits.length !== size) throw this.#error('expected hexadecimal digits')
    this.#at += size
    return Number.parseInt(digits, 16)
  }

  #readRepeat(item: GbnfNode): GbnfNode {
    const rest = this.#text.slice(this.#at, this.#at + 12).join('')
    const match = /^(?:([*+?])|\{(\d+)(,?)(\d*)\})/.exec(rest)
    if (match === null) return item
    this.#at += match[0].length
    if (match[1] !== undefined) {
      return { kind: 'repeat', item, min: match[1] === '+' ? 1 : 0, max: match[1] === '?' ? 1 : Infinity }
    }
    const min = Number(match[2])
    const max = match[3] === '' ? min : match[4] === '' ? Infinity : Number(match[4])
    if (min > 1999 || (max !== Infinity && (max < min || max > 1999))) throw this.#error('repeats too often')
    return { kind: 'repeat', item, min, max }
  }
}

/** Whether a grammar matches the whole of a text. */
export function matchesGbnf({ rules }: Gbnf, text: string): boolean {
  const characters = [...text].map((character) => character.codePointAt(0) ?? 0)
  const known = new Map<GbnfNode, Map<number, ReadonlySet<number>>>()
  const findEnds = (node: GbnfNode, start: number): ReadonlySet<number> => {
    const memo = known.get(node) ?? new Map<number, ReadonlySet<number>>()
    known.set(node, memo)
    const found = memo.get(start) ?? compute(node, start)
    memo.set(start, found)
    return found
  }
  const compute = (node: GbnfNode, start: number): ReadonlySet<number> => {
    switch (node.kind) {
      case 'class': {
        const next = characters[start]
        const fits = next !== undefined && node.ranges.some(([first, last]) => first <= next && next <= last)
        return new Set(fits ? [start + 1] : [])
      }
      case 'rule': {
        const body = rules.get(node.name)
        return body === undefined ? new Set() : findEnds(body, start)
      }
      case 'sequence':
        return node.items.reduce<ReadonlySet<number>>((starts, item) => step(item, starts), new Set([start]))
      case 'choice':
        return new Set(node.options.flatMap((option) => [...findEnds(option, start)]))
      case 'repeat':
        return repeated(node, start)
    }
  }
  const step = (item: GbnfNode, starts: ReadonlySet<number>): ReadonlySet<number> =>
    new Set([...starts].flatMap((at) => [...findEnds(item, at)]))
  const repeated = ({ item, min, max }: GbnfNode & { kind: 'repeat' }, start: number): ReadonlySet<number> => {
    let starts: ReadonlySet<number> = new Set([start])
    const all = new Set<number>(min === 0 ? [start] : [])
    for (let count = 1; count <= max && starts.size > 0; count += 1) {
      const next = step(item, starts)
      starts = count > min ? new Set([...next].filter((end) => !all.has(end))) : next
      if (count >= min) for (const end of starts) all.add(end)
    }
    return all
  }
  const root = rules.get('root')
  return root !== undefined && findEnds(root, 0).has(characters.length)
}

/** A source of random numbers, 0 to below 1. */
export type RandomSource = () => number

/** Random numbers that are the same for the same seed. */
export function seededRandom(seed: number): RandomSource {
  let state = seed | 0
  return () => {
    state = (state + 0x6d_2b_79_f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Draws texts from a grammar. At a nesting of `maxDepth` it draws short ones. */
export function createSampler({ rules }: Gbnf, random: RandomSource, maxDepth = 8): () => string {
  const heights = findHeights(rules)
  const known = new Map<GbnfNode, number>()
  const findHeight = (node: GbnfNode): number => {
    const height = known.get(node) ?? measure(node, heights)
    known.set(node, height)
    return height
  }
  const draw = (node: GbnfNode, depth: number): string => {
    const isLate = depth > maxDepth
    switch (node.kind) {
      case 'class':
        return String.fromCodePoint(drawCharacter(node.ranges, random))
      case 'rule': {
        const body = rules.get(node.name)
        return body === undefined ? '' : draw(body, depth + 1)
      }
      case 'sequence':
        return node.items.map((item) => draw(item, depth)).join('')
      case 'choice': {
        const lowest = Math.min(...node.options.map(findHeight))
        const usable = node.options.filter((option) =>
          isLate ? findHeight(option) === lowest : findHeight(option) < Infinity,
        )
        const option = usable[Math.floor(random() * usable.length)]
        return option === undefined ? '' : draw(option, depth)
      }
      case 'repeat': {
        const more = isLate || findHeight(node.item) === Infinity ? 0 : Math.floor(random() ** 2 * 5)
        const count = Math.min(node.max, node.min + more)
        return Array.from({ length: count }, () => draw(node.item, depth)).join('')
      }
    }
  }
  return () => draw({ kind: 'rule', name: 'root' }, 0)
}

const COMMON: readonly (readonly [number, number])[] = [
  [0x61, 0x66],
  [0x30, 0x33],
]

function drawCharacter(ranges: readonly (readonly [number, number])[], random: RandomSource): number {
  // Prefers plain characters, so that patterns find matches in some samples.
  const common = ranges.flatMap(([first, last]) =>
    COMMON.map(([low, high]) => [Math.max(first, low), Math.min(last, high)] as const).filter(
      ([low, high]) => low <= high,
    ),
  )
  const [first, last] = pick(common.length > 0 && random() < 0.7 ? common : ranges, random)
  return first + Math.floor(random() * (last - first + 1))
}

function pick(ranges: readonly (readonly [number, number])[], random: RandomSource): readonly [number, number] {
  return ranges[Math.floor(random() * ranges.length)] ?? [0x20, 0x20]
}

/** The least nesting of rules that a text of a rule takes. */
function findHeights(rules: ReadonlyMap<string, GbnfNode>): ReadonlyMap<string, number> {
  const heights = new Map([...rules.keys()].map((name) => [name, Infinity]))
  for (let isChanged = true; isChanged; ) {
    isChanged = false
    for (const [name, body] of rules) {
      const height = measure(body, heights) + 1
      if (height < (heights.get(name) ?? Infinity)) {
        heights.set(name, height)
        isChanged = true
      }
    }
  }
  return heights
}

function measure(node: GbnfNode, heights: ReadonlyMap<string, number>): number {
  switch (node.kind) {
    case 'class':
      return 0
    case 'rule':
      return heights.get(node.name) ?? Infinity
    case 'sequence':
      return Math.max(0, ...node.items.map((item) => measure(item, heights)))
    case 'choice':
      return Math.min(...node.options.map((option) => measure(option, heights)))
    case 'repeat':
      return node.min === 0 ? 0 : measure(node.item, heights)
  }
}
