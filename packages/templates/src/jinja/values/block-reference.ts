import { BuiltinFunction, define } from './callable.ts'
import { TemplateObject, type Value } from './value.ts'

/** The variable `self`: the blocks of the template as functions. */
export class BlockReference extends TemplateObject {
  readonly typeName = 'TemplateReference'
  readonly #blocks: ReadonlyMap<string, () => Value>

  constructor(blocks: ReadonlyMap<string, () => Value>) {
    super()
    this.#blocks = blocks
  }

  override attribute(name: string): Value | undefined {
    const block = this.#blocks.get(name)
    return block === undefined ? undefined : new BuiltinFunction(name, define(name, '', block))
  }

  override describe(): string {
    return '<TemplateReference None>'
  }
}
