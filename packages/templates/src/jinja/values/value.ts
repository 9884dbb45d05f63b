import type { TemplateFloat } from '../../number.ts'
import type { Rendering } from '../rendering.ts'
import { countCodePoints } from '../text/code-points.ts'

/**
 * A value of the template language, as in Python. Integers are numbers while they are safe and bigints beyond, floats
 * are always wrapped, lists are arrays that only a lenient template changes; all others are our own classes. A host
 * object is never a value, so a template cannot reach the host through one.
 */
export type Value = null | boolean | number | bigint | string | TemplateFloat | readonly Value[] | TemplateObject

/** A value that is neither a scalar nor a list. */
export abstract class TemplateObject {
  /** The name of its type in messages. */
  abstract readonly typeName: string

  /** The value of `object.name`; undefined for a missing attribute. */
  attribute(_name: string, _run: Rendering): Value | undefined {
    return undefined
  }

  /** The number of its items; undefined without a size. */
  itemCount(): number | undefined {
    return undefined
  }

  /** An iterator over its items; undefined without items. */
  iterate(): Iterator<Value> | undefined {
    return undefined
  }

  /** Whether it can be a key of a dict. */
  isHashable(): boolean {
    return true
  }

  /** Its printed form. `repr` prints its content. */
  describe(_repr: (value: Value) => string): string {
    return `<${this.typeName} object>`
  }
}

/** A text that is safe in HTML: it is not escaped again, and escapes added text. */
export class Markup extends TemplateObject {
  readonly typeName = 'Markup'
  readonly text: string

  constructor(text: string) {
    super()
    this.text = text
  }

  override itemCount(): number {
    return countCodePoints(this.text)
  }

  override iterate(): Iterator<Value> {
    return this.text[Symbol.iterator]()
  }
}

/** An undefined value with its reason. Using it fails with the reason; printing, looping and testing it does not. */
export class Undefined extends TemplateObject {
  readonly typeName = 'Undefined'
  /** The message of its use. */
  readonly reason: string
  /** Whether it was refused rather than missing. */
  readonly refused: boolean

  constructor(reason: string, refused = false) {
    super()
    this.reason = reason
    this.refused = refused
  }

  override itemCount(): number {
    return 0
  }

  override iterate(): Iterator<Value> {
    return [][Symbol.iterator]()
  }

  override describe(): string {
    return 'Undefined'
  }
}

/** A list that is written in parentheses. */
export class Tuple extends TemplateObject {
  readonly typeName = 'tuple'
  readonly items: readonly Value[]

  constructor(items: readonly Value[]) {
    super()
    this.items = items
  }

  override itemCount(): number {
    return this.items.length
  }

  override iterate(): Iterator<Value> {
    return this.items[Symbol.iterator]()
  }
}

/** A pair of `groupby`, whose parts also have names. */
export class Group extends Tuple {
  readonly grouper: Value
  readonly list: readonly Value[]

  constructor(grouper: Value, list: readonly Value[]) {
    super([grouper, list])
    this.grouper = grouper
    this.list = list
  }

  override attribute(name: string): Value | undefined {
    if (name === 'grouper') return this.grouper
    return name === 'list' ? this.list : undefined
  }
}

/** Bytes; only `encode` creates them. */
export class Bytes extends TemplateObject {
  readonly typeName = 'bytes'
  readonly bytes: Uint8Array

  constructor(bytes: Uint8Array) {
    super()
    this.bytes = bytes
  }

  override itemCount(): number {
    return this.bytes.length
  }

  override iterate(): Iterator<Value> {
    return this.bytes[Symbol.iterator]()
  }
}

/** Items for a single loop, created on demand. */
export class Iteration extends TemplateObject {
  readonly typeName: string
  readonly iterator: Iterator<Value>

  constructor(iterator: Iterator<Value>, typeName = 'generator') {
    super()
    this.iterator = iterator
    this.typeName = typeName
  }

  override iterate(): Iterator<Value> {
    return this.iterator
  }
}

/** Whether a value is a list. A plain `Array.isArray` would lose the type of the items. */
export function isList(value: Value): value is readonly Value[] {
  return Array.isArray(value)
}

/** Whether a value is an integer; booleans are, too, in arithmetic but not here. */
export function isInteger(value: Value): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint'
}

/** Whether a value is a text, marked safe or not. */
export function isText(value: Value): value is string | Markup {
  return typeof value === 'string' || value instanceof Markup
}

/** The characters of a text. */
export function toPlainText(text: string | Markup): string {
  return typeof text === 'string' ? text : text.text
}

/** A text made from another, marked safe where that one was. */
export function likeText(source: string | Markup, text: string): string | Markup {
  return typeof source === 'string' ? text : new Markup(text)
}
