import type { Span } from '../../span.ts'

/** How a value follows its name. */
export type Link = 'assigned' | 'compared' | 'listed' | 'called' | 'element' | 'argument' | 'cell'

/** A name of a setting in a text, with the place of its value. */
export interface NamedPlace {
  readonly link: Link
  /** Where the value begins. */
  readonly at: number
  /** What the name has behind its label. */
  readonly rest: string
}

const REST = /[A-Za-z0-9_-]{0,40}/y
/** Ends of names whose values are not secrets. */
const OTHER_THINGS =
  /^(?:[_-]?s$|less|ize|iz|[_-]?(?:hash|digest|salt|file|path|dir|field|input|label|policy|reset|length|len|min|max|url|uri|endpoint|id|ids|name|type|kind|count|limit|budget|usage|placeholder|hint|help|error|err|msg|message|confirm|strength|require|enable|disable|allow|valid|invalid|check|change|update|forgot|expir|lifetime|ttl|age|rule|pattern|regex|form|page|link|title|text|prompt|manager|store|protect|encod|encrypt|provider|based|grant|column|attr|prop|param|arg|var|format|alg|iter|bytes|size|show|hide|toggle|icon|button|class|service|callback|fn|handler|stdin|ref|source|from|index|position|pos|offset|list|stream|symbol|regexp|map|set|array|version|date|time|at$|by$|is|was|has|does|exists|verif|match|equal|test|spec|helper|util))/i
const IN_BETWEEN = /(?:\\?["'`]\)?)?[\]*_]{0,3}[?!]?[ \t\u00a0]{0,8}/y
/** A type between a name and its value. */
const TYPE =
  /(?::[ \t]*|)(?:&?(?:'static )?(?:(?:std::)?[sS]tring|str|NSString ?\*?|SecureString|[aA]ny|object|char ?\*?|Optional\[str\]|Text|Final)(?:\[\])?\??(?:[ \t]*\|[ \t]*(?:null|None|undefined))?)[ \t]{0,4}(?==[^=])/y
const OPERATOR = /(?:[=!]==?|:{1,3}=|[?+.|]{1,2}=|:-|=>|->|<-|\|\||\?\?|[=:：＝,>(|])(?!=)/y
const BLANKS = /[ \t\u00a0]{0,8}/y
/** A block of YAML, a text on the next line. */
const BLOCK = /(?:[|>][+-]?)[ \t]{0,4}\r?\n[ \t]{1,16}/y
const LINES = /\s{0,40}/y
/** The value of a pair of a name and a value. */
const PAIR = /[ \t]{0,4},?\s{0,24}(?:- )?\\?["']?[vV]alue\\?["']?[ \t]{0,4}[:=][ \t]{0,4}/y
/** The same on two lines of YAML. */
const NEXT_LINE = /[ \t]{0,4}\r?\n[ \t]{1,24}value:[ \t]{0,4}/y
/** The name of an element, before the label. */
const ELEMENT = /<(?:[A-Za-z][\w:.-]{0,40}[ \t]{1,4}(?:[\w:.-]{1,24}[ \t]{0,2}=[ \t]{0,2}["'])?)?[\w:.-]{0,40}$/
const FLAG_VALUE = /=(?![=>])|:(?=[^\s:])|[ \t]{1,8}(?![=:|>&\s])/y
const FLAG = /(?:^|[\s"'`(=[])(?:--?|\/)[\w-]{0,40}$/
/** The first column of a row. */
const ROW = /(?:^|\n)[\w.-]{0,40}$/
/** Units before a label that may belong to its name. */
const NAME_UNITS = 96

/** Words before a label that make the name of a deed or of a fact. */
const DEED =
  /(?:change|reset|forgot|forgotten|recover|update|uses?|has|have|is|no|show|hide|get|ask|needs?|requires?|enable|disable|allow|without|check|validate|verify|hash|hashed|encrypt|encrypted|compare|generate|next|max|min|num|invalid|unexpected|public)[ _-]?$/i

/** Finds where the value of a named setting begins, behind a label that is the name or a part of it. */
export function findPlace(text: string, label: Span): NamedPlace | undefined {
  const rest = take(REST, text, label.end) ?? ''
  if (rest !== '' && OTHER_THINGS.test(rest)) return undefined
  // Small letters go on with the word.
  if (/^[a-z]/.test(rest) && !/^s?$/.test(rest)) return undefined
  const after = label.end + rest.length
  const between = take(IN_BETWEEN, text, after) ?? ''
  const at = after + between.length
  const isName = /["'`]/.test(between)
  const behindName = after + between.trimEnd().length
  const pair = take(isName ? PAIR : NEXT_LINE, text, behindName)
  if (pair !== undefined) return { link: 'assigned', at: behindName + pair.length, rest }
  const before = text.slice(Math.max(0, label.start - NAME_UNITS), label.start)
  if (DEED.test(before)) return undefined
  if (!isName && FLAG.test(before)) {
    const equals = take(FLAG_VALUE, text, after)
    if (equals !== undefined) return { link: 'argument', at: after + equals.length, rest }
  }
  const type = take(TYPE, text, at) ?? ''
  const operator = take(OPERATOR, text, at + type.length)
  return operator === undefined ? undefined : place(text, { operator, from: at + type.length, rest, isName, before })
}

interface Found {
  readonly operator: string
  readonly from: number
  readonly rest: string
  readonly isName: boolean
  readonly before: string
}

function place(text: string, { operator, from, rest, isName, before }: Found): NamedPlace | undefined {
  const behind = from + operator.length
  const at = behind + (take(BLANKS, text, behind) ?? '').length
  switch (operator) {
    case '>':
      if (!ELEMENT.test(before)) return undefined
      return { link: 'element', at: behind + (take(LINES, text, behind) ?? '').length, rest }
    case '==':
    case '===':
    case '!=':
    case '!==':
      return { link: 'compared', at, rest }
    case ',':
      if (!isName && (at > behind || !ROW.test(before))) return undefined
      return { link: 'listed', at: isName ? behind + (take(LINES, text, behind) ?? '').length : at, rest }
    case '(':
      return { link: 'called', at, rest }
    case '|':
      return { link: 'cell', at, rest }
    default: {
      const marks = /^\*{0,2}[ \t]{0,4}/.exec(text.slice(at, at + 8))?.[0] ?? ''
      const start = at + (/^\*\*[ \t]/.test(marks) ? marks.length : 0)
      return { link: 'assigned', at: start + (take(BLOCK, text, start) ?? '').length, rest }
    }
  }
}

/** The text that a sticky expression finds at an offset. */
export function take(expression: RegExp, text: string, at: number): string | undefined {
  expression.lastIndex = at
  return expression.exec(text)?.[0]
}
