import type { Span } from '../../span.ts'
import { type Confidence, isPassword } from './judge-password.ts'
import { findPlace, type NamedPlace } from './names.ts'
import { lookBehind } from './quick-look.ts'
import { findToldValue } from './sentences.ts'
import { readValue, type Value } from './value.ts'

/** Units before and behind a label that are read for the words around it. */
const AROUND = 80
const LONGEST_ELEMENT = 300
/** Words of a sentence about a command, which no command holds. */
const SENTENCE = /(?:^|\s)(?:the|and|to|use|uses|using|this|now|a|an|supports?|options?|switch|flag|with|or|is|via)\s/i
const LINE_UNITS = 160
/** What a function is called that keeps a value under a name. */
const SETTER =
  /(?:set|put|add|env|append|with|define|export|property|default|entry|header)\w*\([^()]{0,24}["'`]?[\w.-]{0,40}$/i

/** Finds the password that a label names: in settings and code, in elements, as an argument, in a sentence. */
export function findPassword(text: string, match: Span): Span | undefined {
  const { start } = match
  const length = /(?:[=:："'“«是为 ]|[ ](?:is|=))?$/.exec(text.slice(start, match.end))?.index ?? 0
  const label = { start, end: start + length }
  if (/^pass$/i.test(text.slice(start, label.end)) && isInWord(text, start)) return undefined
  const following = lookBehind(text, label.end)
  // A flag has its value behind a blank.
  const isInSentence = following === 'end' || (following === 'word' && text.charAt(start - 1) === ' ')
  const place = isInSentence ? undefined : findPlace(text, label)
  const value = place === undefined ? undefined : readPlace(text, label, place)
  return value ?? findToldValue(text, label)
}

/** Whether the label `pass` ends a longer word, such as `bypass`. */
function isInWord(text: string, start: number): boolean {
  const before = text.slice(Math.max(0, start - 8), start)
  return (
    text.charAt(start) !== 'P' &&
    /\p{L}$/u.test(before) &&
    !/(?:db|user|my|admin|root|smtp|mail|ftp|proxy)$/i.test(before)
  )
}

function readPlace(text: string, label: Span, place: NamedPlace): Value | undefined {
  const value = place.link === 'element' ? readElement(text, place.at) : readValue(text, place.at)
  if (value === undefined) return undefined
  const confidence = rate(text, label, place, value)
  return confidence !== undefined && isPassword(value, confidence) ? value : undefined
}

/** How sure it is that a value of a place is meant; undefined where it is certainly not. */
function rate(text: string, label: Span, { link, rest }: NamedPlace, value: Value): Confidence | undefined {
  const hasLettersAlone = /^[\p{L}\p{M}_.-]+$/u.test(value.text)
  switch (link) {
    case 'element':
      return 'named'
    case 'compared':
      return value.isQuoted ? 'named' : undefined
    case 'called':
      return value.isQuoted && isCallOf(text, label) ? (hasLettersAlone ? undefined : 'named') : undefined
    case 'listed': {
      if (!value.isQuoted) return undefined
      const isSetter = SETTER.test(text.slice(Math.max(0, label.start - AROUND), label.start))
      return isSetter ? 'named' : hasLettersAlone ? undefined : 'mentioned'
    }
    case 'cell':
      return 'mentioned'
    case 'argument':
      // A password with a dot is not the member of an object here.
      return isArgument(text, value) ? (/\d/.test(value.text) ? 'told' : 'named') : undefined
    default:
      if (!hasLettersAlone) return isFollowedByCode(text, value) ? undefined : 'named'
      if (rest !== '' && !/^[_-]?\d{1,3}$/.test(rest) && !isVariable(text, label, value)) return undefined
      return value.isQuoted || isVariable(text, label, value) || isAlone(text, value) ? 'named' : undefined
  }
}

/** Whether a label is a function that gets the value, and not a part of a longer expression. */
function isCallOf(text: string, { start }: Span): boolean {
  return !/(?:get|check|is|has|verify|match|hash|find|by|on|test|validate|compare|forgot|reset|t|i18n)\w*$/i.test(
    text.slice(Math.max(0, start - 24), start),
  )
}

/** The value of an element: its whole text, without blanks around. */
function readElement(text: string, at: number): Value | undefined {
  const cdata = text.startsWith('<![CDATA[', at) ? '<![CDATA['.length : 0
  const end = text.slice(at, at + LONGEST_ELEMENT).search(cdata === 0 ? /\s{0,40}<\// : /\]\]>/)
  const value = end <= cdata ? '' : text.slice(at + cdata, at + end)
  return value === '' ? undefined : { start: at + cdata, end: at + end, text: value, isQuoted: true }
}

/** Whether a bare value of letters stands alone: at the end of its line or of a part of a sentence. */
function isAlone(text: string, { start, end }: Value): boolean {
  if (/[:=]$/.test(text.slice(start - 1, start)) && text.charAt(start - 1) === ':') return false
  return /^(?:[.,;!]?(?:[ \t]*(?:\r?\n|$|\\n|<\/|<br)|[.;,!]?["')\]]*$)|[.,;]\s+\p{L})/u.test(text.slice(end, end + 24))
}

/** Whether a value is that of a variable of a shell: `PGPASSWORD=sunshine psql`. */
function isVariable(text: string, label: Span, { start, end }: Value): boolean {
  if (text.charAt(start - 1) !== '=' || /[a-z]/.test(text.slice(label.start, start))) return false
  return /^(?:[ \t;&|)"'`]|\s*$)/.test(text.slice(end, end + 4))
}

/** Whether what follows a bare value shows that it is an expression. */
function isFollowedByCode(text: string, { end, isQuoted }: Value): boolean {
  if (isQuoted) return /^["'`][ \t]*(?:[!=]==?|\?)/.test(text.slice(end, end + 8))
  return /^[([]|^[ \t]*(?:\?\?|&&|\|\||===?|\?[ \t])/.test(text.slice(end, end + 8))
}

/** Whether the value behind a flag is its argument and not the start of its description. */
function isArgument(text: string, { start, end, isQuoted, text: value }: Value): boolean {
  if (isQuoted) return true
  if (/^[-\\|&>[(]/.test(value)) return false
  const gap = text.slice(Math.max(0, start - 3), start)
  if (/(?:[ \t]{2}|\t)$/.test(gap)) return false
  const isWord = /^\p{L}+$/u.test(value)
  if (!isWord) return true
  if (SENTENCE.test(text.slice(Math.max(0, start - LINE_UNITS), start).replace(/^[\s\S]*\n/, ''))) return false
  return /^(?:[ \t]+(?:-|\/|[a-z]+:\/\/|[\w.@-]+\s*$)|[ \t]*(?:\r?\n|$|["'`|;&)\\]))/.test(text.slice(end, end + 48))
}
