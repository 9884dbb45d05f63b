import { randomBytes } from 'node:crypto'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** A secret made up for a test, to be searched for where it must not appear. */
export interface Canary {
  /** The kind of secret, such as `api key`. */
  readonly name: string
  /** The secret itself: unique, with characters that JSON and URLs write differently. */
  readonly value: string
}

/** Encodings of a secret. `core` is only its random middle: part of the secret, or an encoding not listed here. */
export type CanaryForm = 'plain' | 'json' | 'percent' | 'base64' | 'base64url' | 'hex' | 'core'

/** A place where a canary was found. */
export interface CanarySighting {
  readonly canary: string
  readonly form: CanaryForm
  /** Name of the searched text: a file's path, or the caller's name for it. */
  readonly where: string
  /** Offset of the sighting in bytes. */
  readonly offset: number
}

/** Makes a new canary; with `plain` its value is plain ASCII, as header values and keys need it. */
export function makeCanary(name: string, options: { readonly plain?: boolean | undefined } = {}): Canary {
  const core = randomBytes(12).toString('hex')
  return { name, value: options.plain === true ? `canary-${core}-x` : `canary "${core}" \\ é/😀` }
}

/** Finds the canaries in a text or bytes, one sighting for each canary and form. */
export function findCanaries(
  haystack: string | Uint8Array,
  canaries: readonly Canary[],
  where = 'text',
): CanarySighting[] {
  const bytes =
    typeof haystack === 'string'
      ? Buffer.from(haystack)
      : Buffer.from(haystack.buffer, haystack.byteOffset, haystack.byteLength)
  return canaries.flatMap((canary) => {
    const found = new Map<CanaryForm, number>()
    for (const [form, needle] of toNeedles(canary)) {
      const offset = bytes.indexOf(needle)
      if (offset === -1 || found.has(form)) continue
      // The core is part of most other forms: it counts only without them.
      if (form !== 'core' || found.size === 0) found.set(form, offset)
    }
    return [...found].map(([form, offset]) => ({ canary: canary.name, form, where, offset }))
  })
}

/** Finds the canaries in captured values, such as log lines or their fields. */
export function findCanariesInValues(
  values: Iterable<unknown>,
  canaries: readonly Canary[],
  where = 'line',
): CanarySighting[] {
  return [...values].flatMap((value, index) =>
    findCanaries(typeof value === 'string' ? value : showAll(value), canaries, `${where} ${index}`),
  )
}

/** Finds the canaries in files and folders, names inside folders included. A missing path is an error. */
export async function findCanariesInFiles(
  paths: readonly string[],
  canaries: readonly Canary[],
): Promise<CanarySighting[]> {
  const sightings: CanarySighting[] = []
  for (const path of paths) {
    const kind = await stat(path)
    if (kind.isDirectory()) {
      const names = await readdir(path)
      for (const name of names) sightings.push(...findCanaries(name, canaries, `name of ${join(path, name)}`))
      sightings.push(
        ...(await findCanariesInFiles(
          names.map((name) => join(path, name)),
          canaries,
        )),
      )
    } else if (kind.isFile()) {
      sightings.push(...findCanaries(await readFile(path), canaries, path))
    }
  }
  return sightings
}

/** Search texts of a canary, most telling form first. */
function toNeedles({ value }: Canary): [CanaryForm, Buffer][] {
  const utf8 = Buffer.from(value)
  const json = JSON.stringify(value).slice(1, -1)
  const asciiJson = json.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
  const percent = encodeURIComponent(value)
  const core = /[0-9a-f]{24}/.exec(value)?.[0] ?? value
  const texts: [CanaryForm, string][] = [
    ['plain', value],
    ['json', json],
    ['json', asciiJson],
    ['percent', percent],
    ['percent', percent.replaceAll('%20', '+')],
    ...base64Middles(utf8).map((text): [CanaryForm, string] => ['base64', text]),
    ...base64Middles(utf8).map((text): [CanaryForm, string] => ['base64url', toBase64Url(text)]),
    ['hex', utf8.toString('hex')],
    ['core', core],
  ]
  const distinct = texts.filter(([, text], index) => texts.findIndex((earlier) => earlier[1] === text) === index)
  return distinct.map(([form, text]) => [form, Buffer.from(text)])
}

/** The base64 digits that depend only on the bytes, for each of three possible offsets in a longer text. */
function base64Middles(bytes: Buffer): string[] {
  return [0, 1, 2].map((shift) => {
    const text = Buffer.concat([Buffer.alloc(shift), bytes])
      .toString('base64')
      .replace(/=+$/, '')
    const start = Math.ceil((shift * 8) / 6)
    const end = Math.floor(((shift + bytes.length) * 8) / 6)
    return text.slice(start, end)
  })
}

function toBase64Url(text: string): string {
  return text.replaceAll('+', '-').replaceAll('/', '_')
}

/** Converts a value to text with all its content: causes and properties of errors, maps and sets, bytes as text. */
function showAll(value: unknown, seen = new Set<unknown>()): string {
  if (typeof value !== 'object' || value === null) return String(value)
  if (seen.has(value)) return ''
  seen.add(value)
  if (value instanceof Uint8Array) return Buffer.from(value).toString('utf8')
  const inner: unknown[] = Reflect.ownKeys(value).flatMap((key) => [key, Reflect.get(value, key)])
  if (value instanceof Map) inner.push(...value.keys(), ...value.values())
  if (value instanceof Set) inner.push(...value)
  return inner.map((part) => showAll(part, seen)).join('\n')
}
