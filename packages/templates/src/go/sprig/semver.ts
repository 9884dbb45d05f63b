import { RE2JS } from 're2js'
import { fail } from '../errors.ts'
import { type FunctionTable, fixed } from '../function.ts'
import { comparePrereleases, compareVersions, type GoVersion, parseVersion } from './version.ts'

/** Versions and constraints such as `>=1.2.0 <2 || ~3.1`. */
export const SEMVER_FUNCTIONS: FunctionTable = {
  semver: fixed(['string'], (_, text) => parseVersion(text) ?? fail('invalid semantic version')),
  semverCompare: fixed(['string', 'string'], ({ budget }, constraint, text) => {
    if (constraint.length > LONGEST) fail('improper constraint')
    budget.spend(constraint.length)
    const alternatives = parseConstraints(constraint) ?? fail('improper constraint')
    const version = parseVersion(text) ?? fail('invalid semantic version')
    return alternatives.some((all) => all.every((one) => allows(one, version)))
  }),
}

/** Longest list of constraints in bytes: the same as for a regular expression. */
const LONGEST = 1024

/** One comparison. Parts of the version that are `x` or missing match anything. */
interface Constraint {
  readonly operator: string
  readonly version: GoVersion
  /** Number of given numbers among the three. */
  readonly given: 0 | 1 | 2 | 3
}

const PART = '[0-9xX*|]+'
const SUFFIX = '(?:-[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*)?(?:\\+[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*)?'
const VERSION = `v?${PART}(?:\\.${PART})?(?:\\.${PART})?${SUFFIX}`
const OPERATOR = '(?:=||!=|>|<|>=|=>|<=|=<|~|~>|\\^)'

interface Patterns {
  readonly range: RE2JS
  readonly valid: RE2JS
  readonly one: RE2JS
  readonly parts: RE2JS
}

let compiled: Patterns | undefined

/** Compiled at first use: most templates never compare versions. */
function patterns(): Patterns {
  const one = `\\s*${OPERATOR}\\s*${VERSION}\\s*`
  compiled ??= {
    range: RE2JS.compile(`\\s*(${VERSION})\\s+-\\s+(${VERSION})\\s*`),
    valid: RE2JS.compile(`^${one}(?:(?:\\s+|,\\s*)${OPERATOR}\\s*${VERSION}\\s*)*$`),
    one: RE2JS.compile(`${OPERATOR}\\s*${VERSION}`),
    parts: RE2JS.compile(`^\\s*(${OPERATOR})\\s*v?(${PART})(\\.${PART})?(\\.${PART})?(${SUFFIX})\\s*$`),
  }
  return compiled
}

/** Alternatives of constraints that must hold together; undefined for an invalid text. */
function parseConstraints(text: string): Constraint[][] | undefined {
  const alternatives: Constraint[][] = []
  for (const part of expandRanges(text).split('||')) {
    if (!patterns().valid.matcher(part).find()) return undefined
    const all: Constraint[] = []
    for (const matcher = patterns().one.matcher(part); matcher.find(); ) {
      const constraint = parseConstraint(part.slice(matcher.start(), matcher.end()))
      if (constraint === undefined) return undefined
      all.push(constraint)
    }
    alternatives.push(all)
  }
  return alternatives
}

/** `1.2 - 1.4` means `>= 1.2, <= 1.4`. */
function expandRanges(text: string): string {
  const matcher = patterns().range.matcher(text)
  let expanded = ''
  let from = 0
  while (matcher.find()) {
    expanded += `${text.slice(from, matcher.start())}>= ${matcher.group(1)}, <= ${matcher.group(2)} `
    from = matcher.end()
  }
  return expanded + text.slice(from)
}

function isOpen(part: string | null | undefined): boolean {
  return part === null || part === undefined || ['', 'x', 'X', '*', '.x', '.X', '.*'].includes(part)
}

function parseConstraint(text: string): Constraint | undefined {
  const matcher = patterns().parts.matcher(text)
  if (!matcher.find()) return undefined
  const [operator, major, minor, patch, suffix] = [1, 2, 3, 4, 5].map((group) => matcher.group(group) ?? '')
  const given = isOpen(major) ? 0 : isOpen(minor) ? 1 : isOpen(patch) ? 2 : 3
  const numbers = [major, `${major}`, `${major}${minor}`, `${major}${minor}${patch}`][given] ?? ''
  const padded = ['0.0.0', `${numbers}.0.0`, `${numbers}.0`, numbers][given] ?? ''
  const metadata = (suffix ?? '').indexOf('+')
  const prerelease = given === 3 || metadata < 0 ? suffix : (suffix ?? '').slice(0, metadata)
  const version = parseVersion(padded + (prerelease ?? ''))
  return version === undefined ? undefined : { operator: operator ?? '', version, given }
}

/** A prerelease only satisfies constraints that name one themselves, except for `!=` on a whole version. */
function allows({ operator, version, given }: Constraint, actual: GoVersion): boolean {
  const isPrereleaseUnasked = actual.prerelease !== '' && version.prerelease === ''
  if (operator === '!=') return (given === 3 || !isPrereleaseUnasked) && differs(version, given, actual)
  if (isPrereleaseUnasked) return false
  const order = compareVersions(actual, version)
  switch (operator) {
    case '>':
      return isAbove(version, given, actual)
    case '<':
      return order < 0
    case '>=':
    case '=>':
      return order >= 0
    case '<=':
    case '=<':
      return isAtMost(version, given, actual)
    case '^':
      return order >= 0 && inCaret(version, given, actual)
    case '~':
    case '~>':
      return inTilde(version, given, actual)
    default:
      return given < 3 ? inTilde(version, given, actual) : order === 0
  }
}

function differs(version: GoVersion, given: number, actual: GoVersion): boolean {
  if (given === 3) return compareVersions(actual, version) !== 0
  if (version.major !== actual.major) return true
  if (given < 2) return given === 0 ? version.minor !== actual.minor || differsInPatch(version, actual) : false
  return version.minor !== actual.minor || differsInPrerelease(version, actual)
}

function differsInPatch(version: GoVersion, actual: GoVersion): boolean {
  return version.patch !== actual.patch || compareVersions(actual, version) !== 0
}

function differsInPrerelease(version: GoVersion, actual: GoVersion): boolean {
  return comparePrereleases(actual.prerelease, version.prerelease) !== 0
}

function isAbove(version: GoVersion, given: number, actual: GoVersion): boolean {
  if (given === 3 || given === 0) {
    return given === 3 ? compareVersions(actual, version) > 0 : aboveOpen(version, actual)
  }
  if (actual.major !== version.major) return actual.major > version.major
  return given === 2 && actual.minor > version.minor
}

function aboveOpen(version: GoVersion, actual: GoVersion): boolean {
  return actual.major > version.major || compareVersions(actual, version) > 0
}

function isAtMost(version: GoVersion, given: number, actual: GoVersion): boolean {
  if (given === 3) return compareVersions(actual, version) <= 0
  if (actual.major !== version.major) return actual.major < version.major
  return given === 1 || actual.minor <= version.minor
}

function inTilde(version: GoVersion, given: number, actual: GoVersion): boolean {
  if (compareVersions(actual, version) < 0) return false
  const isZero = version.major === 0n && version.minor === 0n && version.patch === 0n
  if (isZero && (given === 0 || given === 3)) return true
  return actual.major === version.major && (given === 1 || actual.minor === version.minor)
}

function inCaret(version: GoVersion, given: number, actual: GoVersion): boolean {
  if (version.major > 0n || given === 1) return actual.major === version.major
  if (actual.major > 0n) return false
  if (version.minor > 0n || given === 2) return actual.minor === version.minor
  return actual.minor === 0n && actual.patch === version.patch
}
