import { OPEN_BRACE, QUOTE } from './ascii.ts'
import { opensContainer, readFirstByte } from './tape.ts'
import { decodeStringText } from './text.ts'
import { JsonNode } from './tree.ts'

/** Place of a string: object keys and array indices, outermost first. */
export type JsonPath = (string | number)[]

/** A container the walk is in. Kept alive by its leaves, so that their paths outlive the step. */
interface Frame {
  readonly isObject: boolean
  readonly closeIndex: number
  readonly parent: Frame | undefined
  /** Step from the parent: the entry of a key, or an array index. */
  readonly step: number
}

/** One string of a document. */
export class StringLeaf {
  readonly node: JsonNode
  /** Whether the string is the name of an object's member or a value. */
  readonly role: 'key' | 'value'
  readonly #frame: Frame | undefined
  readonly #step: number

  /** @internal leaves come from {@link walkStrings} */
  constructor(node: JsonNode, role: 'key' | 'value', at: { frame: Frame | undefined; step: number }) {
    this.node = node
    this.role = role
    this.#frame = at.frame
    this.#step = at.step
  }

  /**
   * The path of the string from the node where the walk began. The path of a key is that of its member. Costs time in
   * proportion to the depth, and only when called; it may be called after the walk has gone on.
   */
  path(): JsonPath {
    const path: JsonPath = []
    let step = this.#step
    for (let frame = this.#frame; frame !== undefined; frame = frame.parent) {
      path.push(frame.isObject ? decodeStringText(this.node.document, step) : step)
      step = frame.step
    }
    return path.reverse()
  }
}

/**
 * Every string at and below a node in source order, keys and values, duplicates and unknown parts included.
 * Iterative, and lazy: nothing is decoded until asked for.
 */
export function* walkStrings(root: JsonNode): Generator<StringLeaf, void, undefined> {
  const { document } = root
  const { tape } = document
  let frame: Frame | undefined
  let step = 0
  let isKey = false
  let index = root.index
  do {
    const byte = readFirstByte(document, index)
    if (index === frame?.closeIndex) {
      step = frame.step
      frame = frame.parent
      isKey = frame?.isObject ?? false
      if (!isKey) step++
    } else if (isKey) {
      step = index
      isKey = false
      yield new StringLeaf(new JsonNode(document, index), 'key', { frame, step })
    } else {
      if (byte === QUOTE) yield new StringLeaf(new JsonNode(document, index), 'value', { frame, step })
      if (opensContainer(byte)) {
        const isObject = byte === OPEN_BRACE
        frame = { isObject, closeIndex: tape.second(index), parent: frame, step }
        step = 0
        isKey = isObject
      } else if (frame?.isObject) isKey = true
      else step++
    }
    index++
  } while (frame !== undefined)
}
