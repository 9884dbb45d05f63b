import type { Dice } from './pii-corpus.ts'

/** The forms of ten well-known secrets, as a list of patterns would have them. */
export const TEN_SECRETS: readonly string[] = [
  'sk-(?:proj-)?[A-Za-z0-9_-]{20,}',
  'sk-ant-[A-Za-z0-9_-]{20,}',
  '(?:ghp|gho|ghs|ghr|ghu)_[A-Za-z0-9]{36,}',
  'github_pat_[A-Za-z0-9_]{20,}',
  'AKIA[0-9A-Z]{16}',
  '-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----',
  'AIza[0-9A-Za-z_-]{35}',
  'xox[baprs]-[0-9A-Za-z-]{10,}',
  '(?:sk|rk)_live_[0-9A-Za-z]{16,}',
  'eyJ[A-Za-z0-9_-]{7,}\\.eyJ[A-Za-z0-9_-]{7,}\\.[A-Za-z0-9_-]{10,}',
]

/** One of each, for the text. */
export const SOME_SECRETS: readonly string[] = [
  `sk-proj-${'Zq9'.repeat(12)}`,
  `sk-ant-${'Zq9'.repeat(12)}`,
  `ghp_${'A1b2'.repeat(9)}`,
  `github_pat_${'A1b2'.repeat(9)}`,
  'AKIAQ7Q7Q7Q7Q7Q7Q7Q7',
  '-----BEGIN RSA PRIVATE KEY-----',
  `AIza${'Sy-_0'.repeat(7)}`,
  'xoxb-1234567890-abcdef',
  'sk_live_0123456789abcdef',
  'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmN',
  'mail to jane.doe@apollo.example or see ember-44321',
  'export COBALT_SECRET=Zq9Zq9Zq9Zq9Zq9Z',
  'FALCON-2024-123456, card 1234-harbor-5678',
]

const NAMES = ['apollo', 'borealis', 'cobalt', 'delta9', 'ember', 'falcon', 'granite', 'harbor'] as const

/** Patterns an operator writes for one product: its tokens, numbers, addresses, hosts. */
const PER_NAME: readonly ((name: string) => string)[] = [
  (name) => `${name}_(?:live|test)_[0-9A-Za-z]{24}`,
  (name) => `${name}-[0-9]{4,8}`,
  (name) => `\\b${name.toUpperCase()}-\\d{4}-\\d{6}\\b`,
  (name) => `${name.toUpperCase()}_(?:SECRET|TOKEN|PASSWORD)=[^\\s"']{8,}`,
  (name) => `[\\w.+-]+@${name}\\.example`,
  (name) => `[\\w.-]+\\.${name}\\.internal`,
  (name) => `\\d{4}-${name}-\\d{4}`,
  (name) => `[A-Z]{2}[0-9]{2}-${name}-[0-9A-F]{6,12}`,
  (name) => `${name}://[^\\s/]+:[^\\s@]+@`,
  (name) => `(?:sess|sid)-${name}-[a-f0-9]{32}`,
  (name) => `"${name}_key"\\s*:\\s*"[^"]{8,128}"`,
  (name) => `Bearer ${name}\\.[A-Za-z0-9_-]{16,}\\.[A-Za-z0-9_-]{16,}`,
  (name) => `\\w+-${name}-secret`,
  (name) => `${name}/[a-z]{2,12}/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}`,
  (name) => `customer ${name}:? ?#?\\d{5,9}`,
  (name) => `(?:jira|ticket|case)-${name.slice(0, 3)}\\d{3,6}`,
]

/** 128 patterns of eight products. */
export const CUSTOM_PATTERNS: readonly string[] = NAMES.flatMap((name) => PER_NAME.map((shape) => shape(name)))

/** Parts after the name of a product in a pattern with large bounds, most of them nested. */
const LARGE_SHAPES: readonly string[] = [
  '_(?:[0-9A-Za-z]{1,4096}[._-]?){1,4096}',
  '-(?:[a-z]{0,64}[0-9]{0,64}){0,4096}',
  '=[^\\s]{16,4096}',
  '/(?:[a-z0-9]{1,64}/){1,128}[a-z0-9]{1,4096}',
  '(?:\\.[A-Za-z0-9_-]{10,4096}){2,3}',
  ':(?:(?:[a-f0-9]{2}:){1,64}-?){1,4096}',
  '"\\s{0,4096}:\\s{0,4096}"[^"]{8,4096}"',
  '(?:(?:\\s{1,8}[\\w.]{1,64}){1,100};){1,4096}',
]

/** 128 patterns of eight products, half of them with the large part in front. */
export const LARGE_PATTERNS: readonly string[] = NAMES.flatMap((name) =>
  LARGE_SHAPES.flatMap((shape) => [`${name}${shape}`, `(?:[a-z]{1,40}[-_.]){0,4096}${name}${shape}`]),
)

const LITERALS = ['a', 'b', 'c', '-', 'a', 'b'] as const
const CLASSES = ['[ab]', '[a-c]', '[^a]', '[^!]', '\\w', '\\d', '\\s', '[^a-c-]', '[a-z-]'] as const
const RUNS = ['abc', 'aaa', 'abab', 'a-b', '(?:abc|bca)', 'aab'] as const

/** Bounds up to 4096, half of them small. */
function quantifier(dice: Dice): string {
  const most = dice.roll(2) === 0 ? 6 : 4096
  const low = dice.roll(most === 6 ? 4 : most)
  const high = Math.min(4096, low + 1 + dice.roll(most))
  return dice.pick(['?', '*', '+', '*', '+', `{${low}}`, `{${low},}`, `{${low},${high}}`, `{0,${high}}`])
}

function piece(dice: Dice, depth: number): string {
  const kind = dice.roll(depth > 0 ? 9 : 6)
  if (kind < 2) return dice.pick(LITERALS)
  if (kind < 3) return dice.pick(CLASSES)
  if (kind < 6) return `${dice.pick(CLASSES)}${quantifier(dice)}`
  const arms = Array.from({ length: 1 + dice.roll(2) }, () => row(dice, depth - 1)).join('|')
  return `(?:${arms})${quantifier(dice)}`
}

function row(dice: Dice, depth: number): string {
  return Array.from({ length: 1 + dice.roll(3) }, () => piece(dice, depth)).join('')
}

/** A pattern of the grammar that is hard to match: nested and ambiguous repeats, bounds up to 4096, no fixed start. */
export function hardPattern(dice: Dice): string {
  const run = dice.pick(RUNS)
  const before = dice.roll(2) === 0 ? row(dice, 2) : ''
  return `${before}${run}${row(dice, 2)}${dice.roll(3) === 0 ? '!' : ''}`
}

/** Texts that such patterns almost match, again and again. */
export function hardText(kind: number, length: number, dice: Dice): string {
  if (kind === 0) return 'a'.repeat(length)
  if (kind === 1) return 'abc'.repeat(Math.ceil(length / 3)).slice(0, length)
  const pieces = ['abc', 'aaa', 'abab', 'a-b', 'bca', 'aab', 'a', 'b', 'c', '-', ' ', '1'] as const
  let text = ''
  while (text.length < length) text += dice.pick(pieces)
  return text.slice(0, length)
}
