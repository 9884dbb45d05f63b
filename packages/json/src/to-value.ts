import { LOWER_F, LOWER_N, LOWER_T, OPEN_BRACE, OPEN_BRACKET, QUOTE } from './ascii.ts'
import { parseNumberValue } from './number.ts'
import { findEndOffset, findNextSibling, readFirstByte, type Tokens } from './tape.ts'
import { decodeKeyText, decodeStringText } from './text.ts'

/** A JSON value in JavaScript. */
export type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue }

/** Keys that are left out of objects, so that no later copy of an object can reach a prototype (IN-8). */
const DROPPED_KEYS: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype'])

type Container = JsonValue[] | { [key: string]: JsonValue }

/** Builds the plain value of a token; can stop after any number of tokens and continue later. */
export class ValueBuilder {
  readonly #tokens: Tokens
  #index: number
  #result: JsonValue = null
  /** The container being filled with the entry of its closing bracket, and the same of the containers around it. */
  #container: Container | undefined
  #closeIndex = -1
  readonly #outer: { readonly container: Container | undefined; readonly closeIndex: number }[] = []

  constructor(tokens: Tokens, index: number) {
    this.#tokens = tokens
    this.#index = index
  }

  /** The value; whole once {@link advance} has returned true. */
  get result(): JsonValue {
    return this.#result
  }

  /** Reads up to `count` tokens more and returns whether the value is whole. */
  advance(count: number): boolean {
    for (let step = 0; step < count; step++) {
      this.#step()
      if (this.#container === undefined) return true
    }
    return false
  }

  #step(): void {
    const index = this.#index
    if (index === this.#closeIndex) {
      this.#index = index + 1
      this.#leave()
    } else if (this.#container === undefined) this.#result = this.#read(index)
    else if (Array.isArray(this.#container)) this.#container.push(this.#read(index))
    else this.#readMember(this.#container, index)
  }

  #readMember(object: { [key: string]: JsonValue }, index: number): void {
    const key = decodeKeyText(this.#tokens, index)
    if (DROPPED_KEYS.has(key)) this.#index = findNextSibling(this.#tokens, index + 1)
    else object[key] = this.#read(index + 1)
  }

  /** The value of a token; of a container, the empty one that the next steps fill. */
  #read(index: number): JsonValue {
    const { bytes, tape } = this.#tokens
    this.#index = index + 1
    const byte = readFirstByte(this.#tokens, index)
    switch (byte) {
      case QUOTE:
        return decodeStringText(this.#tokens, index)
      case OPEN_BRACE:
        return this.#enter({}, tape.second(index))
      case OPEN_BRACKET:
        return this.#enter([], tape.second(index))
      case LOWER_T:
      case LOWER_F:
        return byte === LOWER_T
      case LOWER_N:
        return null
      default:
        return parseNumberValue(bytes, tape.first(index), findEndOffset(this.#tokens, index))
    }
  }

  #enter(container: Container, closeIndex: number): Container {
    this.#outer.push({ container: this.#container, closeIndex: this.#closeIndex })
    this.#container = container
    this.#closeIndex = closeIndex
    return container
  }

  #leave(): void {
    const outer = this.#outer.pop()
    this.#container = outer?.container
    this.#closeIndex = outer?.closeIndex ?? -1
  }
}
