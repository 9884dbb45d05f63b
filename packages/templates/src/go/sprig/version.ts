import { fail } from '../errors.ts'
import { GoInteger, GoObject, type GoValue } from '../values.ts'

/** Three numbers with optional suffixes. */
export interface VersionParts {
  readonly major: bigint
  readonly minor: bigint
  readonly patch: bigint
  readonly prerelease: string
  readonly metadata: string
}

const NUMBER = /^[0-9]{1,20}$/
const IDENTIFIERS = /^[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*$/

/** A version as `semver` makes it; templates read `.Major`, `.Minor`, `.Patch`, `.Prerelease`, `.Metadata`. */
export class GoVersion extends GoObject implements VersionParts {
  readonly typeName = '*semver.Version'
  readonly kindName = 'ptr'
  readonly major: bigint
  readonly minor: bigint
  readonly patch: bigint
  readonly prerelease: string
  readonly metadata: string
  readonly original: string

  constructor(parts: VersionParts, original: string) {
    super()
    this.major = parts.major
    this.minor = parts.minor
    this.patch = parts.patch
    this.prerelease = parts.prerelease
    this.metadata = parts.metadata
    this.original = original
  }

  text(): string {
    const prerelease = this.prerelease === '' ? '' : `-${this.prerelease}`
    const metadata = this.metadata === '' ? '' : `+${this.metadata}`
    return `${this.major}.${this.minor}.${this.patch}${prerelease}${metadata}`
  }

  json(): string {
    return this.text()
  }

  equals(other: GoObject, how: 'identity' | 'content'): boolean {
    return this === other || (how === 'content' && other instanceof GoVersion && other.original === this.original)
  }

  call(method: string, args: readonly GoValue[]): GoValue {
    if (args.length > 0) return this.#compareMethod(method, args)
    switch (method) {
      case 'Major':
      case 'Minor':
      case 'Patch':
        return new GoInteger('uint64', { Major: this.major, Minor: this.minor, Patch: this.patch }[method])
      case 'Prerelease':
        return this.prerelease
      case 'Metadata':
        return this.metadata
      case 'Original':
        return this.original
      case 'String':
        return this.text()
      default:
        return fail(`can't evaluate field ${method} in type ${this.typeName}`)
    }
  }

  #compareMethod(method: string, [other, ...rest]: readonly GoValue[]): GoValue {
    if (!(other instanceof GoVersion) || rest.length > 0) return fail(`wrong arguments for ${method}`)
    const order = compareVersions(this, other)
    switch (method) {
      case 'Compare':
        return new GoInteger('int', BigInt(order))
      case 'Equal':
        return order === 0
      case 'LessThan':
        return order < 0
      case 'GreaterThan':
        return order > 0
      default:
        return fail(`can't evaluate field ${method} in type ${this.typeName}`)
    }
  }
}

/** Reads a version: one to three numbers, a `v` in front, a prerelease and metadata are optional. */
export function parseVersion(text: string): GoVersion | undefined {
  const [core = '', metadata] = cut(text.startsWith('v') ? text.slice(1) : text, '+')
  const [numbers = '', prerelease] = cut(core, '-')
  const [major = '', minor = '0', patch = '0', ...more] = numbers.split('.')
  if (more.length > 0 || ![major, minor, patch].every((part) => NUMBER.test(part) && fits(part))) return undefined
  if (prerelease !== undefined && !isPrerelease(prerelease)) return undefined
  if (metadata !== undefined && !IDENTIFIERS.test(metadata)) return undefined
  const parts = { major: BigInt(major), minor: BigInt(minor), patch: BigInt(patch) }
  return new GoVersion({ ...parts, prerelease: prerelease ?? '', metadata: metadata ?? '' }, text)
}

function cut(text: string, separator: string): [string, string | undefined] {
  const at = text.indexOf(separator)
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)]
}

function fits(number: string): boolean {
  return BigInt(number) < 2n ** 64n
}

/** Numeric identifiers have no leading zero. */
function isPrerelease(text: string): boolean {
  return IDENTIFIERS.test(text) && !text.split('.').some((part) => /^0[0-9]+$/.test(part))
}

/** Orders versions; metadata does not count, a prerelease comes before its release. */
export function compareVersions(left: VersionParts, right: VersionParts): -1 | 0 | 1 {
  for (const part of ['major', 'minor', 'patch'] as const) {
    if (left[part] !== right[part]) return left[part] < right[part] ? -1 : 1
  }
  return comparePrereleases(left.prerelease, right.prerelease)
}

/** Orders prereleases; a version without a prerelease comes after all of them. */
export function comparePrereleases(left: string, right: string): -1 | 0 | 1 {
  if (left === right) return 0
  if (left === '' || right === '') return left === '' ? 1 : -1
  const leftParts = left.split('.')
  const rightParts = right.split('.')
  for (let at = 0; at < Math.max(leftParts.length, rightParts.length); at++) {
    const order = compareIdentifiers(leftParts[at], rightParts[at])
    if (order !== 0) return order
  }
  return 0
}

function compareIdentifiers(left: string | undefined, right: string | undefined): -1 | 0 | 1 {
  if (left === right) return 0
  if (left === undefined || right === undefined) return left === undefined ? -1 : 1
  const leftNumber = NUMBER.test(left) && fits(left) ? BigInt(left) : undefined
  const rightNumber = NUMBER.test(right) && fits(right) ? BigInt(right) : undefined
  if (leftNumber !== undefined && rightNumber !== undefined) {
    if (leftNumber === rightNumber) return 0
    return leftNumber < rightNumber ? -1 : 1
  }
  if (leftNumber !== undefined || rightNumber !== undefined) return leftNumber !== undefined ? -1 : 1
  return left < right ? -1 : 1
}
