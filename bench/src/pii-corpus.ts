import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Pseudo-random numbers, the same in every run. */
export class Dice {
  private state: number

  constructor(seed: number) {
    this.state = seed >>> 0
  }

  /** A whole number from 0 to `sides` - 1. */
  roll(sides: number): number {
    this.state = (Math.imul(this.state, 1664525) + 1013904223) >>> 0
    return Math.floor((this.state / 2 ** 32) * sides)
  }

  pick<T>(choices: readonly [T, ...T[]]): T {
    return choices[this.roll(choices.length)] ?? choices[0]
  }
}

const QUESTIONS = [
  'Can you rewrite this paragraph so that it sounds friendlier, please?',
  'I get an error when I start the container. What does it mean?',
  'Summarise the following notes in five bullet points for the steering committee.',
  'Why does the second query take so much longer than the first one?',
  'Translate the text below, but keep the names and the amounts as they are.',
  'What would you answer to this customer? They have been waiting for two weeks.',
] as const

/** One line of a service's log. */
function logLine(dice: Dice, second: number): string {
  const time = new Date(1_700_000_000_000 + second * 1000).toISOString()
  const level = dice.pick(['INFO', 'INFO', 'INFO', 'WARN', 'ERROR', 'DEBUG'])
  const path = dice.pick(['/v1/orders', '/v1/users/42/cart', '/healthz', '/v1/search?q=desk&page=3', '/login'])
  const id = dice
    .roll(2 ** 31)
    .toString(16)
    .padStart(8, '0')
  return `${time} ${level} [http-${dice.roll(16)}] request_id=${id} GET ${path} ${dice.pick([200, 200, 204, 404, 500])} ${dice.roll(900)}ms user=u${dice.roll(10_000)}\n`
}

function filesBelow(folder: URL, ending: string, most: number): string[] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  return names
    .filter((name) => name.endsWith(ending) && !name.includes('node_modules'))
    .sort()
    .slice(0, most)
    .map((name) => readFileSync(join(folder.pathname, name), 'utf8'))
}

/**
 * Text like that of requests: prose and code of this repository, questions and log lines, in turn. ASCII only, or with
 * umlauts and emoji, which makes it a string of two bytes a character.
 *
 * @param secrets inserted once every few thousand characters
 */
export function chatCorpus(length: number, isAscii: boolean, secrets: readonly string[]): string {
  const dice = new Dice(7)
  const prose = filesBelow(new URL('../../docs/', import.meta.url), '.md', 40).join('\n')
  const code = filesBelow(new URL('../../apps/server/src/', import.meta.url), '.ts', 120).join('\n')
  const parts: string[] = []
  let size = 0
  for (let turn = 0; size < length; turn++) {
    const from = turn % 3 === 0 ? code : prose
    const at = dice.roll(from.length - 1200)
    const lines = Array.from({ length: 4 }, (_, line) => logLine(dice, turn * 4 + line)).join('')
    const greeting = isAscii ? 'Hello' : 'Grüße aus Köln 👋'
    const secret = secrets[turn % Math.max(1, secrets.length)] ?? ''
    const part = `${greeting}, ${QUESTIONS[turn % QUESTIONS.length]}\n${from.slice(at, at + 1200)}\n${lines}${turn % 3 === 1 ? `${secret}\n` : ''}`
    parts.push(part)
    size += part.length
  }
  const text = parts.join('').slice(0, length)
  // Decoded from bytes, so that the engine holds it like the body of a request.
  return isAscii
    ? Buffer.from(text.replaceAll(/[^\n\x20-\x7e]/g, '-'), 'latin1').toString('latin1')
    : Buffer.from(text, 'utf8').toString('utf8')
}

/** The lines of a service's log. */
export function logText(length: number): string {
  const dice = new Dice(9)
  const lines: string[] = []
  for (let size = 0, second = 0; size < length; second++) {
    const line = logLine(dice, second)
    lines.push(line)
    size += line.length
  }
  return Buffer.from(lines.join(''), 'latin1').toString('latin1')
}
