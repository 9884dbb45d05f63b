/**
 * Reads the options and common fields of a LoadModel request.
 *
 * @module
 */
import path from 'node:path'
import type { ModelOptions } from '@svc/backend-client/proto'
import { invalidRequest } from './errors.ts'

/** Options of a LoadModel request: names in lower case, the last value of each. */
export type LoadOptions = ReadonlyMap<string, string>

interface Range {
  readonly min: number
  readonly max: number
}

const ON = new Set(['on', 'true', 'enabled', 'yes', '1'])
const OFF = new Set(['off', 'false', 'disabled', 'no', '0'])

const MAX_THREADS = 512

/**
 * Reads the path of the model, which is below the models folder if the request names that folder.
 *
 * @throws SvcError `invalid_request`
 */
export function readModelPath({ ModelFile: file, ModelPath: root, Model: model }: ModelOptions): string {
  if (file === '' && model === '') throw invalidRequest('no model is named', 'ModelFile')
  const place = path.resolve(file || path.join(root, model))
  if (root === '') return place
  const inner = path.relative(path.resolve(root), place)
  if (inner === '' || inner.split(path.sep)[0] === '..' || path.isAbsolute(inner)) {
    throw invalidRequest('the model lies outside the models folder', 'ModelFile')
  }
  return place
}

/** Reads the number of threads; 0 leaves it to the backend. @throws SvcError `invalid_request` */
export function readThreads({ Threads }: ModelOptions): number {
  if (Threads > MAX_THREADS) throw invalidRequest(`Threads must be at most ${MAX_THREADS}`, 'Threads')
  return Threads
}

/** Parses options of the form `name:value`; the value of a name without one is "true". */
export function parseOptions(options: readonly string[]): LoadOptions {
  return new Map(
    options.map((option) => {
      const colon = option.indexOf(':')
      const name = colon < 0 ? option : option.slice(0, colon)
      return [name.trim().toLowerCase(), colon < 0 ? 'true' : option.slice(colon + 1).trim()]
    }),
  )
}

/** Reads a whole number under the first present name. @throws SvcError `invalid_request` */
export function readInteger(
  options: LoadOptions,
  names: readonly string[],
  { min, max, otherwise }: Range & { readonly otherwise: number },
): number {
  return readMatching(options, names, { min, max, otherwise, pattern: /^-?\d{1,9}$/ })
}

/** Reads any number under the first present name. @throws SvcError `invalid_request` */
export function readNumber(
  options: LoadOptions,
  names: readonly string[],
  { min, max, otherwise }: Range & { readonly otherwise: number },
): number {
  return readMatching(options, names, { min, max, otherwise, pattern: /^-?\d{1,9}(\.\d{1,9})?$/ })
}

/** Reads a boolean. @throws SvcError `invalid_request` */
export function readBoolean(options: LoadOptions, name: string): boolean {
  const text = (options.get(name) ?? 'false').toLowerCase()
  if (ON.has(text)) return true
  if (OFF.has(text)) return false
  throw invalidRequest(`option ${name} must be true or false`)
}

/** Reads one of some words under the first present name. @throws SvcError `invalid_request` */
export function readWord<Word extends string>(
  options: LoadOptions,
  names: readonly string[],
  words: readonly Word[],
): Word | undefined {
  const name = names.find((candidate) => options.has(candidate))
  if (name === undefined) return undefined
  const text = options.get(name)?.toLowerCase()
  const word = words.find((candidate) => candidate === text)
  if (word === undefined) throw invalidRequest(`option ${name} must be one of ${words.join(', ')}`)
  return word
}

/** Reads a word for on, off or the engine's choice. @throws SvcError `invalid_request` */
export function readSwitch(text: string, field: string): boolean | 'auto' {
  const word = text.trim().toLowerCase()
  if (ON.has(word)) return true
  if (OFF.has(word)) return false
  if (word === '' || word === 'auto') return 'auto'
  throw invalidRequest(`${field} must be auto, on or off`, field)
}

function readMatching(
  options: LoadOptions,
  names: readonly string[],
  { min, max, otherwise, pattern }: Range & { readonly otherwise: number; readonly pattern: RegExp },
): number {
  const name = names.find((candidate) => options.has(candidate))
  if (name === undefined) return otherwise
  const text = options.get(name) ?? ''
  const value = pattern.test(text) ? Number(text) : Number.NaN
  if (!(value >= min && value <= max)) throw invalidRequest(`option ${name} must be a number of ${min} to ${max}`)
  return value
}
