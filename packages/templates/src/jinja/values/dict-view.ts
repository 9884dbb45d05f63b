import type { Dict } from './dict.ts'
import { TemplateObject, Tuple, type Value } from './value.ts'

/** The part of a dict that a view shows. */
export type DictPart = 'keys' | 'values' | 'items'

/** The result of `keys`, `values` and `items` of a dict. */
export class DictView extends TemplateObject {
  readonly typeName: string
  readonly dict: Dict
  readonly part: DictPart

  constructor(dict: Dict, part: DictPart) {
    super()
    this.typeName = `dict_${part}`
    this.dict = dict
    this.part = part
  }

  /** Views that compare as sets cannot be keys. */
  override isHashable(): boolean {
    return this.part === 'values'
  }

  override itemCount(): number {
    return this.dict.size
  }

  override iterate(): Iterator<Value> {
    return this.items()
  }

  *items(): IterableIterator<Value> {
    if (this.part === 'keys') yield* this.dict.keys()
    else if (this.part === 'values') yield* this.dict.values()
    else for (const [key, value] of this.dict.entries()) yield new Tuple([key, value])
  }

  override describe(repr: (value: Value) => string): string {
    return `${this.typeName}(${repr([...this.items()])})`
  }
}
