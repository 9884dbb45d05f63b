import { RE2JS } from 're2js'
import type { TextTest } from './compile-pattern.ts'
import { isIpv4, isIpv6 } from './ip-address.ts'

/** A supported `format`: a pattern for generation, and a check of values. */
export interface Format {
  /** A regular expression for a grammar; may match less than the format. */
  readonly pattern: string
  readonly accepts: TextTest
}

const SHORT_MONTHS = '(?:0[469]|11)-(?:0[1-9]|[12]\\d|30)'
const LONG_MONTHS = '(?:0[13578]|1[02])-(?:0[1-9]|[12]\\d|3[01])'
const FEBRUARY = '02-(?:0[1-9]|1\\d|2[0-8])'
const DATE = `\\d{4}-(?:${LONG_MONTHS}|${SHORT_MONTHS}|${FEBRUARY})`
const CLOCK = '(?:[01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d'
const ZONE = '(?:Z|[+-](?:[01]\\d|2[0-3]):[0-5]\\d)'
const TIME = `${CLOCK}(?:\\.\\d{1,6})?${ZONE}`
const LABEL = '[A-Za-z0-9]{1,20}(?:-[A-Za-z0-9]{1,20}){0,2}'
const OCTET = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)'

function clockUnits(digits: string): string {
  const hours = `${digits}H(?:${digits}M(?:${digits}S)?)?`
  return `T(?:${hours}|${digits}M(?:${digits}S)?|${digits}S)`
}

function duration(digits: string): string {
  const clock = clockUnits(digits)
  const years = `${digits}Y(?:${digits}M(?:${digits}D)?)?`
  const days = `(?:${years}|${digits}M(?:${digits}D)?|${digits}D)`
  return `P(?:${digits}W|${days}(?:${clock})?|${clock})`
}

function matching(pattern: string): TextTest {
  const compiled = RE2JS.compile(`^(?:${pattern})$`)
  return (text) => compiled.test(text)
}

function format(pattern: string, accepts: TextTest = matching(pattern)): Format {
  return { pattern: `^(?:${pattern})$`, accepts }
}

const isTime = matching(`${CLOCK}(?:\\.\\d+)?${ZONE}`.replace('Z', '[Zz]'))
const isHostname = matching(
  '[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?(?:\\.[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*',
)
const isLocalPart = matching("[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*")
const DATE_SHAPE = /^(\d{4})-(\d\d)-(\d\d)$/

/** The supported formats (RFC 3339, 4122, 5321, 1123 and address notations); others are annotations without effect. */
const FORMATS: ReadonlyMap<string, Format> = new Map([
  ['date', format(DATE, isDate)],
  ['time', format(TIME, isTime)],
  ['date-time', format(`${DATE}T${TIME}`, isDateTime)],
  ['duration', format(duration('\\d{1,4}'), matching(duration('\\d+')))],
  ['uuid', format('[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}')],
  ['email', format(`[a-z0-9_+-]{1,20}(?:\\.[a-z0-9_+-]{1,20})?@${LABEL}(?:\\.${LABEL}){1,2}`, isEmail)],
  ['hostname', format(`${LABEL}(?:\\.${LABEL}){0,3}`, (text) => text.length <= 253 && isHostname(text))],
  ['ipv4', format(`${OCTET}(?:\\.${OCTET}){3}`, isIpv4)],
  ['ipv6', format('[0-9a-f]{1,4}(?::[0-9a-f]{1,4}){7}', isIpv6)],
])

/** Finds a supported `format`; undefined for an annotation without effect. */
export function findFormat(name: string): Format | undefined {
  return FORMATS.get(name)
}

function isDate(text: string): boolean {
  const match = DATE_SHAPE.exec(text)
  if (match === null) return false
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])]
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
  const days = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1] ?? 0
  return day >= 1 && day <= days
}

function isDateTime(text: string): boolean {
  return /^[Tt]$/.test(text.slice(10, 11)) && isDate(text.slice(0, 10)) && isTime(text.slice(11))
}

function isEmail(text: string): boolean {
  const at = text.lastIndexOf('@')
  const host = text.slice(at + 1)
  return at > 0 && at <= 64 && host.length <= 253 && isLocalPart(text.slice(0, at)) && isHostname(host)
}
