import { JinjaLimitError } from '../errors.ts'
import type { Expression } from './ast.ts'
import type { TokenStream } from './token-stream.ts'

/** Bounds the levels of tags, brackets and nodes of one template. */
export class Nesting {
  readonly #stream: TokenStream
  readonly #maxNesting: number
  /** Levels of each node, so that no tree is too deep to walk. */
  readonly #depths = new WeakMap<Expression, number>()
  #nesting = 0

  constructor(stream: TokenStream, maxNesting: number) {
    this.#stream = stream
    this.#maxNesting = maxNesting
  }

  /** One level deeper into tags or brackets. @throws JinjaLimitError */
  enter(): void {
    if (++this.#nesting > this.#maxNesting) throw this.#tooDeep()
  }

  leave(): void {
    this.#nesting--
  }

  /** Records the depth of a new node. @throws JinjaLimitError */
  record<Made extends Expression>(node: Made, parts: readonly (Expression | undefined)[]): Made {
    let depth = 1
    for (const part of parts) {
      if (part !== undefined) depth = Math.max(depth, 1 + (this.#depths.get(part) ?? 0))
    }
    if (depth > this.#maxNesting) throw this.#tooDeep()
    this.#depths.set(node, depth)
    return node
  }

  #tooDeep(): JinjaLimitError {
    return new JinjaLimitError(`the template exceeds the limit maxNesting of ${this.#maxNesting}`, {
      line: this.#stream.line,
      limit: 'maxNesting',
    })
  }
}
